/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "cli/compose.h"
#include "cli/device_list.h"
#include "cli/gpu_lock.h"
#include "cli/run_ceilings.h"
#include "cli/run_devices.h"
#include "cli/show_data.h"
#include "cli/target.h"
#include "measure/card_links.h"
#include "reports/findings/findings.h"
#include "reports/print/print.h"
#include "run/compile/prefetch.h"

#include <stdlib.h>

typedef struct ceilings_options {
    rft_target_opts target;
    const char *soak, *json;
    double soak_s;
} ceilings_options;

/* One card, and what was measured on it. */
typedef struct measured_card {
    rft_target *target;
    rft_run *run;
} measured_card;

typedef struct measured_cards {
    measured_card *items; /* heap */
    size_t count;
    rft_links links; /* count 0: of one card, or of recordings */
} measured_cards;

static int keep(rft_cli *cli, measured_card *c, rft_err *err) {
    int rc = rft_compose_annotate(cli, c->run->arena, &c->run->ceilings, &c->target->gpu, err);
    if (rc == RFT_OK) {
        rft_ceilings_keep(cli, &c->target->gpu, &c->target->env, &c->run->ceilings);
    }
    return rc;
}

/* All of them, and kept for the runs of the next day. The kernels are compiled side by side. */
static int measure_ceilings(rft_cli *cli, measured_card *c, const ceilings_options *o, rft_err *err) {
    const rft_ceilings_request request = {.wanted = RFT_CEILINGS_ALL, .soak_s = o->soak_s};
    rft_target *target = c->target;
    rft_run *run = c->run;
    rft_prefetch prefetch;
    rft_prefetch_begin(&prefetch, target->recording ? NULL : target->pool, &target->gpu, request.wanted);
    rft_prefetch_await(&prefetch, RFT_PREFETCH_POINTS);
    rft_prefetch_await(&prefetch, RFT_PREFETCH_CEILINGS);
    rft_prefetch_end(&prefetch);
    if (o->soak_s > 0 && !target->recording) {
        rft_log_info(&cli->log, "each ceiling under %g s of its own load: about %.0f min", o->soak_s,
                     o->soak_s * RFT_CEILING_SEVERAL_FIRST / 60.0 + 0.5);
    }
    int rc = target->probe->ceilings(target->probe, &request, run->arena, &run->ceilings, err);
    return rc == RFT_OK && !target->recording ? keep(cli, c, err) : rc;
}

static int open_and_measure(rft_cli *cli, measured_card *c, const char *device, const ceilings_options *o,
                            rft_err *err) {
    rft_target_opts opts = o->target;
    opts.device = device;
    int rc = rft_target_open(&c->target, cli, &opts, err);
    if (rc == RFT_OK) {
        c->run = rft_run_new();
        c->run->gpu = c->target->gpu;
        rc = measure_ceilings(cli, c, o, err);
        rft_target_leave(c->target); /* the next card's worker, and then this process, come alone */
    }
    return rc;
}

/* ---- several cards ---- */

static int open_all(rft_cli *cli, measured_cards *all, const rft_listed_device *listed, rft_gpu **gpus,
                    rft_gpu_lock **locks, bool wait, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; i < all->count && rc == RFT_OK; i++) {
        const rft_gpu_lock_opts opts = {
            .uuid = listed[i].uuid, .device = listed[i].name, .wait = wait, .log = &cli->log};
        int ordinal = 0;
        rc = rft_target_ordinal(&ordinal, listed[i].device, err);
        rc = rc == RFT_OK ? rft_gpu_lock_take(&locks[i], &opts, err) : rc;
        rc = rc == RFT_OK ? rft_cuda_open(&gpus[i], ordinal, err) : rc;
    }
    return rc;
}

/* In this process: it is nothing but copies. */
static int measure_links(rft_cli *cli, measured_cards *all, const rft_listed_device *listed, bool wait, rft_err *err) {
    const rft_clock *clock = rft_clock_system();
    rft_gpu *gpus[RFT_LINK_CARDS_MAX] = {NULL};
    rft_gpu_lock *locks[RFT_LINK_CARDS_MAX] = {NULL};
    if (all->count > RFT_LINK_CARDS_MAX) {
        return rft_err_set(err, RFT_E_LIMIT, "links are measured between at most %d cards", RFT_LINK_CARDS_MAX);
    }
    int rc = open_all(cli, all, listed, gpus, locks, wait, err);
    rc = rc == RFT_OK ? rft_links_measure(gpus, all->count, NULL, all->items[0].run->arena, &all->links, err) : rc;
    for (size_t i = 0; i < all->count; i++) {
        if (gpus[i]) {
            gpus[i]->vt->close(gpus[i]);
        }
        rft_gpu_lock_free(locks[i]);
    }
    for (size_t i = 0; i < all->count && rc == RFT_OK; i++) {
        rc = rft_target_ordinal(&all->links.ordinals[i], listed[i].device, err);
    }
    for (size_t i = 0; i < all->count && rc == RFT_OK; i++) {
        measured_card *c = &all->items[i];
        rft_links_put(&all->links, i, clock->unix_ns(clock->self), c->run->arena, &c->run->ceilings);
        rc = keep(cli, c, err);
    }
    return rc;
}

static int measure_all(rft_cli *cli, measured_cards *all, const ceilings_options *o, rft_arena *arena, rft_err *err) {
    rft_listed_device *listed = NULL;
    int rc = RFT_OK;
    all->count = 1;
    if (rft_run_devices_several(o->target.device)) {
        rc = rft_device_list(&listed, &all->count, o->target.device, arena, err);
    }
    all->items = rft_calloc(all->count, sizeof *all->items);
    for (size_t i = 0; i < all->count && rc == RFT_OK; i++) {
        const char *device = listed ? listed[i].device : o->target.device;
        rc = open_and_measure(cli, &all->items[i], device, o, err);
    }
    bool recorded = false;
    for (size_t i = 0; i < all->count && rc == RFT_OK; i++) {
        recorded = recorded || all->items[i].target->recording;
    }
    if (rc != RFT_OK || all->count == 1 || recorded) {
        return rc;
    }
    rc = measure_links(cli, all, listed, o->target.wait, err);
    if (rc == RFT_E_LIMIT) { /* what each card does alone is known */
        rft_log_warn(&cli->log, "what the cards copy at once is not measured: %s", err->message);
        all->links.count = 0;
        rc = RFT_OK;
    }
    return rc;
}

/* ---- out ---- */

static json_t *json_of(const measured_card *c) {
    const rft_gpu_info *gpu = &c->target->gpu;
    rft_run *run = c->run;
    return json_pack("{s:{s:o,s:o,s:o,s:i,s:i},s:o,s:o}", "device", "name", rft_show_text_json(gpu->name), "arch",
                     rft_show_text_json(gpu->arch), "uuid", rft_show_text_json(gpu->uuid), "sms", gpu->sms,
                     "sm_clock_max_khz", gpu->sm_clock_khz, "ceilings",
                     rft_print_json(rft_finding_ceilings(run, run->arena)), "ridges",
                     rft_print_json(rft_finding_ridges(run, run->arena)));
}

/* One card is an object; several are a list, with what they do together beside it. */
static int print_json(rft_cli *cli, const measured_cards *all, const char *path, rft_arena *arena, rft_err *err) {
    json_t *root = all->count == 1 ? json_of(&all->items[0]) : json_object(), *list = json_array();
    for (size_t i = 0; i < all->count && all->count > 1; i++) {
        json_array_append_new(list, json_of(&all->items[i]));
    }
    if (all->count > 1) {
        json_object_set(root, "devices", list);
        json_object_set_new(root, "together",
                            all->links.count ? rft_print_json(rft_finding_links(&all->links, arena)) : json_null());
    }
    json_decref(list);
    rft_str line = RFT_STR_INIT;
    rft_print_json_line(&line, root);
    int rc = rft_cli_write(cli, path, rft_str_get(&line), line.length, err);
    rft_str_clear(&line);
    return rc;
}

static void print_text(rft_cli *cli, const measured_cards *all, rft_arena *arena) {
    rft_str out = RFT_STR_INIT;
    const rft_print_opts full = {.full = true};
    for (size_t i = 0; i < all->count; i++) {
        const rft_target *target = all->items[i].target;
        rft_run *run = all->items[i].run;
        rft_str_addf(&out, "%s%s%s%s\n", i ? "\n" : "", target->gpu.name, target->recording ? ", recorded in " : "",
                     target->recording ? target->recording_path : "");
        rft_print_text(&out, rft_finding_ceilings(run, run->arena), &full);
        rft_print_text(&out, rft_finding_operations(run, run->arena), &full);
        rft_print_text(&out, rft_finding_ridges(run, run->arena), &full);
    }
    if (all->links.count) {
        rft_str_add(&out, "\nbetween the cards\n");
        rft_print_text(&out, rft_finding_links(&all->links, arena), &full);
    }
    fputs(rft_str_get(&out), cli->out);
    rft_str_clear(&out);
}

static int print_ceilings(rft_cli *cli, const ceilings_options *o, rft_arena *arena, rft_err *err) {
    measured_cards all = {0};
    int rc = measure_all(cli, &all, o, arena, err);
    if (rc == RFT_OK && o->json) {
        rc = print_json(cli, &all, o->json, arena, err);
    }
    if (rc == RFT_OK && !(o->json && rft_text_equal(o->json, "-"))) {
        print_text(cli, &all, arena);
    }
    for (size_t i = 0; i < all.count && all.items; i++) {
        rft_run_free(all.items[i].run);
        rft_target_close(all.items[i].target);
    }
    free(all.items);
    return rc;
}

static const rft_setting soak = {.kind = RFT_SETTING_SECONDS, .offset = offsetof(ceilings_options, soak_s)};

int rft_cmd_ceilings(rft_cli *cli, int argc, char **argv, rft_err *err) {
    ceilings_options o = {.target = {.compile_workers = rft_compose_compile_workers()}};
    bool helped = false;
    rft_words rest = {0};
    const rft_opt opts[] = {
        {"device", 'd', "DEVICES", "0, or 0,1, or all: what they copy at once, too; or replay:FILE", NULL,
         &o.target.device, NULL},
        {"soak", 0, "10s", "each also under so many seconds of its own load: the sustained rate", NULL, &o.soak, NULL},
        {"json", 0, "FILE|-", "as JSON; - is stdout, in place of the table", NULL, &o.json, NULL},
        {"wait", 0, NULL, "where another rooftune uses the device, wait until it is free", &o.target.wait, NULL, NULL},
    };
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &rest, NULL, &helped, err);
    if (rc == RFT_OK && !helped) {
        rc = rft_opt_no_words(cli, &rest, err);
    }
    if (rc == RFT_OK && o.soak && rft_setting_read(&soak, &o, o.soak, err) != RFT_OK) {
        rc = rft_err_context(err, "--soak");
    }
    if (rc == RFT_OK && !helped) {
        rc = print_ceilings(cli, &o, arena, err);
    }
    rft_arena_free(arena);
    return rc;
}
