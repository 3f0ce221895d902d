-- SPDX-License-Identifier: Apache-2.0
-- CLBlast's GEMM: 116,928 of 663,552 are valid. Definition: searchspaces_provider.py of fjwillemsen/kernel_tuner_paper (MIT).
return sweep {
  tune = {
    GEMMK = values(0),
    MWG = values(16, 32, 64, 128),
    NWG = values(16, 32, 64, 128),
    KWG = values(16, 32),
    MDIMC = values(8, 16, 32),
    NDIMC = values(8, 16, 32),
    MDIMA = values(8, 16, 32),
    NDIMB = values(8, 16, 32),
    KWI = values(2),
    VWM = values(1, 2, 4, 8),
    VWN = values(1, 2, 4, 8),
    STRM = values(0, 1),
    STRN = values(0, 1),
    SA = values(0, 1),
    SB = values(0, 1),
    KREG = values(1),
    PRECISION = values(32),
  },
  where = {
    "KWG % KWI == 0",
    "MWG % (MDIMC * VWM) == 0",
    "NWG % (NDIMC * VWN) == 0",
    "MWG % (MDIMA * VWM) == 0",
    "NWG % (NDIMB * VWN) == 0",
    "KWG % ((MDIMC * NDIMC) / MDIMA) == 0",
    "KWG % ((MDIMC * NDIMC) / NDIMB) == 0",
    "MWG ~= 128 or NWG ~= 128 or MDIMC ~= 8 or NDIMC ~= 8",
  },
}
