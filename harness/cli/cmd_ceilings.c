/* SPDX-License-Identifier: Apache-2.0 */
#include "base/units.h"
#include "cli/compose.h"
#include "cli/target.h"

#include <math.h>

static void add_rate(rft_str *out, double value, const char *unit, bool is_time) {
    char text[48] = "n/a";
    if (isfinite(value) && is_time) {
        rft_units_format_seconds(text, sizeof text, value, 3);
    } else if (isfinite(value)) {
        rft_units_format_si(text, sizeof text, value, 4, unit);
    }
    rft_str_addf(out, " %14s", text);
}

static void add_ceiling(rft_str *out, rft_ceiling_id id, const rft_ceiling *c) {
    bool is_time = id == RFT_CEILING_LAUNCH;
    rft_str_addf(out, "%-12s", rft_ceiling_name(id));
    add_rate(out, c->measured ? c->stats.median : (double)NAN, rft_ceiling_unit(id), is_time);
    add_rate(out, c->datasheet, rft_ceiling_unit(id), is_time);
    add_rate(out, c->limit, rft_ceiling_unit(id), is_time);
    if (c->measured) {
        rft_str_addf(out, "  n=%zu", c->stats.n);
        if (isfinite(c->clock_mhz)) {
            rft_str_add(out, ", ");
            rft_str_add_fixed(out, c->clock_mhz, 0);
            rft_str_add(out, " MHz");
        }
        rft_str_addf(out, "  %s", c->kernel ? c->kernel : "");
    } else {
        rft_str_addf(out, "  %s", c->reason ? c->reason : "not measured");
    }
    if (c->limit_basis && isfinite(c->limit)) {
        rft_str_addf(out, "; limit %s", c->limit_basis);
    }
    rft_str_add(out, "\n");
}

static int print_ceilings(rft_cli *cli, rft_target *target, rft_err *err) {
    rft_ceilings ceilings;
    rft_str out = RFT_STR_INIT;
    int rc = target->probe->ceilings(target->probe, NULL, target->arena, &ceilings, err);
    if (rc == RFT_OK && !target->recording) {
        rc = rft_compose_annotate(cli, target->arena, &ceilings, &target->gpu, err);
    }
    if (rc != RFT_OK) {
        return rc;
    }
    rft_str_addf(&out, "%s%s%s\n%-12s %14s %14s %14s\n", target->gpu.name, target->recording ? ", recorded in " : "",
                 target->recording ? target->recording_path : "", "ceiling", "measured", "datasheet", "limit");
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        add_ceiling(&out, (rft_ceiling_id)id, &ceilings.items[id]);
    }
    fputs(rft_str_get(&out), cli->out);
    rft_str_clear(&out);
    return RFT_OK;
}

int rft_cmd_ceilings(rft_cli *cli, int argc, char **argv, rft_err *err) {
    rft_target_opts target_opts = {0};
    bool helped = false;
    rft_words rest = {0};
    rft_target *target = NULL;
    const rft_opt opts[] = {
        {"device", 'd', "N|replay:FILE", "device number, or a recording (default 0)", NULL, &target_opts.device, NULL},
        {"wait", 0, NULL, "where another rooftune uses the device, wait until it is free", &target_opts.wait, NULL,
         NULL},
    };
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &rest, NULL, &helped, err);
    if (rc == RFT_OK && !helped) {
        rc = rft_opt_no_words(cli, &rest, err);
    }
    if (rc == RFT_OK && !helped) {
        rc = rft_target_open(&target, cli, &target_opts, err);
    }
    if (rc == RFT_OK && !helped) {
        rc = print_ceilings(cli, target, err);
    }
    rft_target_close(target);
    rft_arena_free(arena);
    return rc;
}
