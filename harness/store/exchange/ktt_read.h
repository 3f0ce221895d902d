/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ktt_read.h - inside of the store room: results of the Kernel Tuning Toolkit (KTT 2), read as a run.
 *
 * KTT's JSON: `Metadata` (KttVersion, Device, TimeUnit, GlobalSizeType, Timestamp) and `Results`, one a configuration:
 * Status, Configuration (Name, Value, ValueType), ComputationResults (Duration, GlobalSize, LocalSize, CompilationData,
 * ProfilingData.Counters). Each kernel becomes a sweep of one problem, since KTT knows no problems.
 *
 * What the file does not say stays unknown: work, ceilings, verification, the device beyond its name, and whether all
 * configurations were tried. Profiler metrics with the same definition as a quantity of ours become that quantity; all
 * of them are kept under their own names. Lane instructions that KTT sums over additions, multiplications and
 * multiply-adds become counted traffic of their pipe at two operations each (four for packed halves): the slots they
 * take of the pipe, an upper bound of the operations.
 */
#ifndef RFT_STORE_KTT_READ_H
#define RFT_STORE_KTT_READ_H

#include "base/json.h"
#include "store/store.h"

/* By content: an object with Metadata.KttVersion. Whether the rest is right rft_ktt_read() says. */
bool rft_ktt_is(const json_t *root);

/* RFT_E_RECORDING with the path of what is wrong ("Results[12].Status: expected ..."); `what` names the file. */
int rft_ktt_read(rft_run **out, const json_t *root, const char *what, rft_err *err);

#endif
