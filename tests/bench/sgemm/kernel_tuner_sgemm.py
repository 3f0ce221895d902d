# SPDX-License-Identifier: Apache-2.0
"""Kernel Tuner on sgemm.cu: the peer of sgemm.lua. Prints a JSON line. Arguments: n, then "verified" or "unverified".

Needs kernel_tuner 1.5, cupy and numpy. The time is that of tune_kernel alone: imports, inputs and, when verifying, the
expected result are made before it. The restriction is a product because the quotient gave 0 valid configurations with
the pure-Python solver.
"""
import json, os, sys, time
import numpy as np
import kernel_tuner as kt

here = os.path.dirname(os.path.abspath(__file__))
source = open(os.path.join(here, "sgemm.cu")).read()
n = int(sys.argv[1])
verified = sys.argv[2] == "verified"
rng = np.random.default_rng(1)
a = rng.random((n, n), np.float32) - np.float32(0.5)
b = rng.random((n, n), np.float32) - np.float32(0.5)
c = np.zeros((n, n), np.float32)
answer = [None, None, a @ b, None, None, None] if verified else None
space = dict(BM=[64, 128], BN=[64, 128], BK=[8, 16], TM=[4, 8], TN=[4, 8], PAD=[0, 1, 2, 4],
             block_size_x=[64, 128, 256, 512, 1024])
# A macro of its own, or NVRTC's disk cache answers from an earlier round.
options = ["--std=c++17", "-DROUND=%d" % (time.time_ns() % 1000003)]
started = time.time()
results, _ = kt.tune_kernel("sgemm", source, (n, n), [a, b, c, np.int32(n), np.int32(n), np.int32(n)], space,
                            restrictions=["block_size_x * TM * TN == BM * BN"], grid_div_x=["BN"], grid_div_y=["BM"],
                            answer=answer, atol=1e-2, lang="cupy", iterations=7, compiler_options=options, quiet=True)
seconds = time.time() - started
ok = [r for r in results if isinstance(r.get("time"), float)]
print(json.dumps({"seconds": seconds, "configurations": len(results), "ok": len(ok),
                  "best_s": min(r["time"] for r in ok) / 1e3 if ok else None}))
