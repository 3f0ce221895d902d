/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ncu_command.h"

#include "cli/command_text.h"
#include "cli/compose.h"
#include "model/run/counter_metrics.h"
#include "model/sweep/kernel_name.h"

#include <string.h>

#define FILE_NAME "ncu.csv"
/* Tell whether both profiled the same code, launched alike: older versions of ncu have no columns for the shape. */
static const char *const also[] = {"launch__registers_per_thread", "launch__grid_dim_x",  "launch__grid_dim_y",
                                   "launch__grid_dim_z",           "launch__block_dim_x", "launch__block_dim_y",
                                   "launch__block_dim_z"};

/* As CUPTI calls what has this compute capability. */
static const char *chip_of(const rft_gpu_info *gpu) {
    static const struct {
        int cc;
        const char *chip;
    } chips[] = {{75, "TU102"}, {80, "GA100"},  {86, "GA102"}, {89, "AD102"},
                 {90, "GH100"}, {100, "GB100"}, {120, "GB202"}};
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
        if (chips[i].cc == 10 * gpu->cc_major + gpu->cc_minor) {
            return chips[i].chip;
        }
    }
    return NULL;
}

/* ---- metrics ---- */

/* Once each. */
static void add_metric(rft_str *list, const char *metric) {
    size_t length = strlen(metric);
    for (const char *at = rft_str_get(list); (at = strstr(at, metric)) != NULL; at += length) {
        if (at[length] == ',' || at[length] == '\0') {
            return;
        }
    }
    rft_str_addf(list, "%s%s", list->length ? "," : "", metric);
}

static void add_formula(rft_str *list, const char *text, rft_arena *arena) {
    rft_counter_formula formula;
    if (text && rft_counter_formula_parse(&formula, text, arena)) {
        for (size_t i = 0; i < formula.count; i++) {
            add_metric(list, formula.metrics[i]);
        }
    }
}

static void add_metrics(rft_cli *cli, const rft_ncu_order *order, rft_str *list, rft_arena *arena) {
    rft_counter_plan plan;
    rft_err why = RFT_ERR_INIT;
    const char *chip = chip_of(order->gpu);
    bool known = chip && rft_compose_counter_plan(cli, chip, &order->set, &plan, arena, &why) == RFT_OK;
    if (!known) {
        rft_log_warn(
            &cli->log,
            "what %s calls its metrics is not known here%s%s: ncu refuses those that it has not\n  remedy: take "
            "their names from `ncu --query-metrics`",
            order->gpu->arch, why.code ? ", " : "", why.message);
    }
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        if (order->set.wanted[i]) {
            add_formula(list, known ? plan.metrics[i] : rft_counter_alternative((rft_counter)i, 0), arena);
        }
    }
    for (size_t i = 0; i < order->set.raw_count; i++) {
        add_metric(list, order->set.raw[i]);
    }
    for (size_t i = 0; i < sizeof also / sizeof *also; i++) {
        add_metric(list, also[i]);
    }
}

/* ---- the point ---- */

/* "regex:^(.*::)?(scan|add)$"; NULL: it launches no kernel. */
static const char *kernels_of(const rft_point_spec *spec, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < spec->launch_count; i++) {
        const char *name =
            spec->launches[i].kind == RFT_LAUNCH_KERNEL ? rft_kernel_base_name(spec->launches[i].entry, arena) : "";
        if (*name) {
            rft_str_addf(&text, "%s%s", text.length ? "|" : "regex:^(.*::)?(", name);
        }
    }
    rft_str_add(&text, text.length ? ")$" : "");
    const char *kept = text.length ? rft_arena_strdup(arena, rft_str_get(&text)) : NULL;
    rft_str_clear(&text);
    return kept;
}

static void add_word(rft_str *out, const char *word) {
    rft_str_add_char(out, ' ');
    rft_command_add_word(out, word);
}

static void add_value(rft_str *out, const char *option, const char *name, const rft_value *value) {
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%s=", name);
    rft_value_format(&text, value);
    add_word(out, option);
    add_word(out, rft_str_get(&text));
    rft_str_clear(&text);
}

/* " --sweep gemv --variant tiled --at n=4096 --set VEC=4": the same words for both commands. */
static void add_selectors(rft_str *out, const rft_ncu_order *order) {
    const rft_sweep *sweep = order->sweep;
    const rft_variant *variant = &sweep->variants[order->choice->variant];
    add_word(out, "--sweep");
    add_word(out, sweep->name);
    add_word(out, "--variant");
    add_word(out, variant->name);
    for (size_t i = 0; i < sweep->axis_count; i++) {
        add_value(out, "--at", sweep->axes[i].name, &order->choice->problem[i]);
    }
    for (size_t i = 0; i < variant->param_count; i++) {
        add_value(out, "--set", variant->params[i].name, &order->choice->config[i]);
    }
}

static void add_point(rft_str *out, const rft_ncu_order *order) {
    rft_str_add(out, "rooftune point");
    add_word(out, order->file);
    add_selectors(out, order);
    rft_str_add(out, " --bare");
    for (size_t i = 0; i < order->allow_paths->count; i++) {
        add_word(out, "--allow-path");
        add_word(out, order->allow_paths->items[i]);
    }
    for (size_t i = 0; i < order->script_args->count; i++) {
        rft_str_add(out, i ? "" : " --");
        add_word(out, order->script_args->items[i]);
    }
}

int rft_ncu_command(rft_cli *cli, const rft_ncu_order *order, rft_str *out, rft_arena *arena, rft_err *err) {
    const rft_sweep *sweep = order->sweep;
    const rft_point_choice *choice = order->choice;
    rft_point_spec spec = {0};
    int rc = sweep->vt->point(sweep->self, choice->variant, choice->problem, choice->config, arena, &spec, err);
    const char *kernels = rc == RFT_OK ? kernels_of(&spec, arena) : NULL;
    if (rc == RFT_OK && !kernels) {
        rft_err_set(err, RFT_E_NOT_FOUND, "%s launches no kernel of its own",
                    rft_point_choice_text(choice, sweep, arena));
        rc = rft_err_remedy(err, "choose another variant: --variant NAME");
    }
    if (rc != RFT_OK) {
        return rc;
    }
    rft_str metrics = RFT_STR_INIT;
    add_metrics(cli, order, &metrics, arena);
    rft_str_addf(
        out,
        "{ ncu --version; LC_ALL=C ncu --csv --page raw --print-units base --clock-control none --cache-control %s \\\n"
        "  --kernel-name",
        sweep->measure.cache == RFT_CACHE_HOT ? "none" : "all");
    add_word(out, kernels);
    rft_str_addf(out, " \\\n  --metrics %s \\\n  ", rft_str_get(&metrics));
    add_point(out, order);
    rft_str_add(out, "; } >" FILE_NAME "\nrooftune import --counters " FILE_NAME " RUN.db");
    add_selectors(out, order);
    rft_str_add(out, "\n");
    rft_str_clear(&metrics);
    return RFT_OK;
}
