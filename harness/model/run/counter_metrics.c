/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/counter_metrics.h"

#include "base/str.h"

#include <string.h>

enum { ALTERNATIVES_MAX = 4 };

#define SASS(op) "smsp__sass_thread_inst_executed_op_" op "_pred_on.sum"
#define STALL(reason) "smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio"
#define TENSOR(type) "sm__ops_path_tensor_src_" type ".sum"
#define FROM_SM(what) "lts__t_sectors_srcunit_tex_" what ".sum"

/* In order of preference. Before the FP32 instructions alone, with Blackwell's packed pairs (FADD2 ...); before sectors
 * of all sources, those from the SMs: a second half of the L2 asks the first as a source of its own. */
static const char *const alternatives[RFT_COUNTER_COUNT][ALTERNATIVES_MAX] = {
    [RFT_COUNTER_TIME] = {"1e-9*gpu__time_duration.sum"},
    [RFT_COUNTER_SM_CLOCK] = {"sm__cycles_elapsed.avg.per_second"},
    [RFT_COUNTER_DRAM_READ] = {"dram__bytes_read.sum", "dram__bytes_op_read.sum"},
    [RFT_COUNTER_DRAM_WRITE] = {"dram__bytes_write.sum", "dram__bytes_op_write.sum"},
    [RFT_COUNTER_L2_READ] = {FROM_SM("op_read"), "lts__t_sectors_op_read.sum"},
    [RFT_COUNTER_L2_WRITE] = {FROM_SM("op_write"), "lts__t_sectors_op_write.sum"},
    [RFT_COUNTER_L2_HIT] = {FROM_SM("lookup_hit"), "lts__t_sectors_lookup_hit.sum"},
    [RFT_COUNTER_L1_LOAD] = {"128*l1tex__lsu_writeback_active_mem_lgds.sum",
                             "128*l1tex__lsu_writeback_active_mem_lg.sum"},
    [RFT_COUNTER_SHARED_WAVEFRONTS] = {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
    [RFT_COUNTER_SHARED_CONFLICTS] = {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
    [RFT_COUNTER_WARPS_ACTIVE] = {"0.01*sm__warps_active.avg.pct_of_peak_sustained_active"},
    [RFT_COUNTER_ISSUE] = {"smsp__issue_active.avg.per_cycle_active"},
    [RFT_COUNTER_WARP_INSTRUCTIONS] = {"smsp__inst_executed.sum"},
    [RFT_COUNTER_FADD] = {SASS("fadd") " + 2*" SASS("fadd2"), SASS("fadd")},
    [RFT_COUNTER_FMUL] = {SASS("fmul") " + 2*" SASS("fmul2"), SASS("fmul")},
    [RFT_COUNTER_FFMA] = {SASS("ffma") " + 2*" SASS("ffma2"), SASS("ffma")},
    [RFT_COUNTER_DADD] = {SASS("dadd")},
    [RFT_COUNTER_DMUL] = {SASS("dmul")},
    [RFT_COUNTER_DFMA] = {SASS("dfma")},
    [RFT_COUNTER_HADD] = {SASS("hadd")},
    [RFT_COUNTER_HMUL] = {SASS("hmul")},
    [RFT_COUNTER_HFMA] = {SASS("hfma")},
    [RFT_COUNTER_LOAD_BYTES_PER_SECTOR] = {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio"},
    [RFT_COUNTER_STORE_BYTES_PER_SECTOR] = {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio"},
    [RFT_COUNTER_TENSOR_FP64] = {TENSOR("fp64")},
    [RFT_COUNTER_TENSOR_TF32] = {TENSOR("tf32_dst_fp32")},
    [RFT_COUNTER_TENSOR_BF16] = {TENSOR("bf16_dst_fp32")},
    [RFT_COUNTER_TENSOR_FP16] = {TENSOR("fp16"), TENSOR("fp16_dst_fp16") " + " TENSOR("fp16_dst_fp32")},
    [RFT_COUNTER_TENSOR_FP8] = {TENSOR("fp8"), TENSOR("fp8_dst_fp16") " + " TENSOR("fp8_dst_fp32"),
                                TENSOR("fp4_fp6_fp8_dst_fp16") " + " TENSOR("fp4_fp6_fp8_dst_fp32")},
    [RFT_COUNTER_TENSOR_INT8] = {TENSOR("int8")},
    [RFT_COUNTER_TENSOR_BUSY] = {"0.01*sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"},
    [RFT_COUNTER_L1_HIT] = {"0.01*l1tex__t_sector_hit_rate.pct"},
    [RFT_COUNTER_SECTORS_PER_LOAD] = {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"},
    [RFT_COUNTER_SECTORS_PER_STORE] = {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"},
    [RFT_COUNTER_L2_ATOMIC] = {FROM_SM("op_atom") " + " FROM_SM("op_red"),
                               "lts__t_sectors_op_atom.sum + lts__t_sectors_op_red.sum"},
    [RFT_COUNTER_SHARED_LOADS] = {"smsp__inst_executed_op_shared_ld.sum"},
    [RFT_COUNTER_SHARED_STORES] = {"smsp__inst_executed_op_shared_st.sum"},
    [RFT_COUNTER_SHARED_LOAD_WAVEFRONTS] = {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    [RFT_COUNTER_SHARED_STORE_WAVEFRONTS] = {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    [RFT_COUNTER_SHARED_ATOMIC_WAVEFRONTS] = {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"},
    [RFT_COUNTER_SHARED_BYTES] = {"sm__sass_data_bytes_mem_shared.sum"},
    [RFT_COUNTER_LOCAL] = {"smsp__inst_executed_op_local_ld.sum + smsp__inst_executed_op_local_st.sum",
                           "smsp__sass_inst_executed_op_local.sum"},
    [RFT_COUNTER_XU] = {"smsp__inst_executed_pipe_xu.sum"},
    [RFT_COUNTER_WARPS_ELIGIBLE] = {"smsp__warps_eligible.avg.per_cycle_active"},
    [RFT_COUNTER_STALL_LONG_SCOREBOARD] = {STALL("long_scoreboard")},
    [RFT_COUNTER_STALL_SHORT_SCOREBOARD] = {STALL("short_scoreboard")},
    [RFT_COUNTER_STALL_MATH_PIPE] = {STALL("math_pipe_throttle")},
    [RFT_COUNTER_STALL_MIO] = {STALL("mio_throttle")},
    [RFT_COUNTER_STALL_LG] = {STALL("lg_throttle")},
    [RFT_COUNTER_STALL_TEX] = {STALL("tex_throttle")},
    [RFT_COUNTER_STALL_BARRIER] = {STALL("barrier")},
    [RFT_COUNTER_STALL_MEMBAR] = {STALL("membar")},
    [RFT_COUNTER_STALL_WAIT] = {STALL("wait")},
    [RFT_COUNTER_STALL_GMMA] = {STALL("gmma")},
    [RFT_COUNTER_STALL_NO_INSTRUCTION] = {STALL("no_instruction")},
    [RFT_COUNTER_STALL_BRANCH] = {STALL("branch_resolving")},
    [RFT_COUNTER_STALL_DISPATCH] = {STALL("dispatch_stall")},
    [RFT_COUNTER_STALL_DRAIN] = {STALL("drain")},
    [RFT_COUNTER_STALL_SLEEPING] = {STALL("sleeping")},
    [RFT_COUNTER_STALL_NOT_SELECTED] = {STALL("not_selected")},
};

const char *rft_counter_alternative(rft_counter counter, size_t index) {
    return index < ALTERNATIVES_MAX ? alternatives[counter][index] : NULL;
}

bool rft_counter_formula_parse(rft_counter_formula *out, const char *text, rft_arena *arena) {
    static const char plus[] = " + ";
    *out = (rft_counter_formula){.text = text};
    for (const char *at = text; at;) {
        const char *end = strstr(at, plus);
        char *term = rft_arena_strndup(arena, at, end ? (size_t)(end - at) : strlen(at));
        char *star = strchr(term, '*');
        double factor = 1.0;
        if (star) {
            *star = '\0';
        }
        const char *metric = star ? star + 1 : term;
        if (out->count == RFT_COUNTER_TERMS_MAX || !*metric || (star && !rft_text_to_double(term, &factor))) {
            return false;
        }
        out->factors[out->count] = factor;
        out->metrics[out->count++] = metric;
        at = end ? end + strlen(plus) : NULL;
    }
    return true;
}
