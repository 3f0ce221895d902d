/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/model_projection.h"

#include "base/fs.h"
#include "cli/compose.h"
#include "cli/script_stuck.h"
#include "model/roofline/datasheet.h"
#include "model/roofline/datasheet_device.h"
#include "reports/findings/findings.h"
#include "reports/print/print.h"
#include "script/script.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

#define DEVICES_MAX 16

typedef struct request {
    rft_arena *arena;
    char *sheets;                 /* devices.lua as JSON; owned */
    rft_run *run;                 /* owned */
    rft_run *others[DEVICES_MAX]; /* owned */
    rft_projection_answer answer;
} request;

static bool is_run_name(const char *word) {
    return rft_text_ends(word, ".db") || rft_text_ends(word, ".json") || rft_text_ends(word, ".json.gz");
}

bool rft_model_names_run(const rft_words *words) {
    return words->count > 0 && (is_run_name(words->items[0]) || (words->count == 1 && rft_fs_exists(words->items[0])));
}

static int open_sheets(rft_cli *cli, request *r, rft_err *err) {
    const char *path = rft_compose_data_file(cli, r->arena, "devices.lua");
    if (!path) {
        rft_err_set(err, RFT_E_IO, "kernels/lib/devices.lua is not there");
        return rft_err_remedy(err, "reinstall rooftune to get it");
    }
    return rft_script_read_table(&r->sheets, path, rft_script_usual_opts(), err);
}

/* Another run's ceilings, as they were measured there. */
static int open_run(request *r, rft_projection_device *device, const char *path, rft_err *err) {
    rft_run **other = &r->others[r->answer.device_count - 1];
    int rc = rft_store_load(other, path, err);
    if (rc != RFT_OK) {
        return rc;
    }
    const rft_run *run = *other;
    device->name = run->gpu.name;
    device->source = rft_arena_printf(r->arena, "run %s", run->info.id);
    device->measured = true;
    device->there = rft_projection_run(r->run, &run->gpu, &run->ceilings);
    return RFT_OK;
}

static int open_datasheet(request *r, rft_projection_device *device, const char *name, rft_err *err) {
    rft_gpu_info gpu;
    rft_ceilings sheet, converted;
    rft_datasheet_facts facts;
    int rc = rft_datasheet_device(&gpu, name, r->sheets, r->arena, err);
    if (rc != RFT_OK) {
        return rft_err_place(err, "--devices");
    }
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        sheet.items[id] = rft_ceiling_none("not measured");
    }
    rc = rft_datasheet_facts_of(&facts, &gpu, r->sheets, r->arena, err);
    rc = rc ? rc : rft_datasheet_apply(&sheet, &gpu, r->sheets, r->arena, err);
    if (rc == RFT_OK) {
        rft_projection_convert(&converted, &r->run->ceilings, &sheet, r->arena);
        device->name = facts.name ? facts.name : name;
        device->source = facts.source ? facts.source : "no source";
        device->there = rft_projection_run(r->run, &gpu, &converted);
    }
    return rc;
}

static int open_devices(request *r, const char *list, rft_err *err) {
    rft_projection_answer *answer = &r->answer;
    int rc = RFT_OK;
    answer->devices = rft_arena_calloc(r->arena, DEVICES_MAX, sizeof *answer->devices);
    while (rc == RFT_OK) {
        size_t length = strcspn(list, ",");
        if (answer->device_count == DEVICES_MAX) {
            return rft_err_set(err, RFT_E_USAGE, "--devices: more than %d", DEVICES_MAX);
        }
        rft_projection_device *device = &answer->devices[answer->device_count++];
        device->asked = rft_arena_strndup(r->arena, list, length);
        bool is_run = is_run_name(device->asked) || rft_fs_exists(device->asked);
        rc = is_run ? open_run(r, device, device->asked, err) : open_datasheet(r, device, device->asked, err);
        if (list[length] == '\0') {
            break;
        }
        list += length + 1;
    }
    return rc;
}

int rft_model_print(rft_cli *cli, const rft_finding *answer, const char *json, rft_err *err) {
    rft_str out = RFT_STR_INIT;
    int rc = RFT_OK;
    if (json) {
        rft_print_json_line(&out, rft_print_json(answer));
        rc = rft_cli_write(cli, json, rft_str_get(&out), out.length, err);
    }
    if (rc == RFT_OK && !(json && rft_text_equal(json, "-"))) {
        rft_str_truncate(&out, 0);
        rft_print_text(&out, answer, &(rft_print_opts){.indent = 2, .label = ""});
        fputs(rft_str_get(&out), cli->out);
    }
    rft_str_clear(&out);
    return rc;
}

int rft_model_project(rft_cli *cli, const rft_words *words, const char *devices, const char *json, rft_arena *arena,
                      rft_err *err) {
    request r = {.arena = arena};
    if (words->count != 1) {
        rft_err_set(err, RFT_E_USAGE, "a projection is of one run, and of nothing else");
        return rft_err_remedy(err, "rooftune model RUN.db --devices b200,OTHER.json.gz");
    }
    int rc = rft_store_load(&r.run, words->items[0], err);
    rc = rc ? rc : open_sheets(cli, &r, err);
    /* By the same table as the other devices: what stood in it when the run was made may be older. */
    rc = rc ? rc : rft_datasheet_apply(&r.run->ceilings, &r.run->gpu, r.sheets, arena, err);
    r.answer.run = r.run;
    rc = rc ? rc : open_devices(&r, devices, err);
    rc = rc ? rc : rft_model_print(cli, rft_finding_projection(&r.answer, arena), json, err);
    for (size_t i = 0; i < DEVICES_MAX; i++) {
        rft_run_free(r.others[i]);
    }
    rft_run_free(r.run);
    free(r.sheets);
    return rc;
}
