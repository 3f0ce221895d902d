/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_model.c - `rooftune model`: kernels/lib/intensity.lua gives the work, kernels/lib/devices.lua the rates. With a
 * run in place of models: model_projection.c. */
#include "base/fs.h"
#include "cli/compose.h"
#include "cli/model_projection.h"
#include "cli/model_words.h"
#include "cli/script_stuck.h"
#include "model/roofline/datasheet_device.h"
#include "reports/findings/findings.h"
#include "script/script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES_DEFAULT "a100,h100,h200,b200"
#define DEVICES_MAX 64

typedef struct model_options {
    const char *dtype, *devices, *turn, *json;
} model_options;

typedef struct model_request {
    const model_options *o;
    rft_arena *arena;
    const char *place;  /* of the chunk that asks the module: beside it, so that no file of the user's hides it */
    json_t *catalogue;  /* owned */
    const char *sheets; /* devices.lua as JSON; owned */
    rft_workloads workloads;
    rft_model_answer answer;
} model_request;

/* What the chunk returns, parsed. */
static int ask_module(json_t **out, const model_request *r, const char *chunk, const rft_words *words, rft_err *err) {
    char *text = NULL;
    rft_script_opts opts = *rft_script_usual_opts();
    if (words) {
        opts.args = words->items;
        opts.arg_count = words->count;
    }
    *out = NULL;
    int rc = rft_script_eval_table(&text, r->place, chunk, &opts, err);
    if (rc == RFT_OK) {
        rc = rft_json_parse(out, text, strlen(text), "kernels/lib/intensity.lua", err);
    }
    free(text);
    return rc;
}

static int open_files(rft_cli *cli, model_request *r, rft_err *err) {
    const char *models = rft_compose_data_file(cli, r->arena, "intensity.lua");
    const char *sheets = rft_compose_data_file(cli, r->arena, "devices.lua");
    if (!models || !sheets) {
        rft_err_set(err, RFT_E_IO, "kernels/lib/%s.lua is not there", models ? "devices" : "intensity");
        return rft_err_remedy(err, "reinstall rooftune to get it");
    }
    char *text = NULL;
    char *folder = rft_fs_folder(models);
    r->place = rft_arena_printf(r->arena, "%s/model", folder);
    free(folder);
    int rc = rft_script_read_table(&text, sheets, rft_script_usual_opts(), err);
    r->sheets = text;
    return rc == RFT_OK ? ask_module(&r->catalogue, r, "return require(\"kernels.intensity\").catalogue()", NULL, err)
                        : rc;
}

static int open_device(model_request *r, const char *name, rft_err *err) {
    rft_model_answer *answer = &r->answer;
    rft_modelled_device *device = &answer->devices[answer->device_count++];
    rft_gpu_info gpu;
    device->asked = name;
    int rc = rft_datasheet_device(&gpu, name, r->sheets, r->arena, err);
    if (rc != RFT_OK) {
        return rft_err_place(err, "--devices");
    }
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        device->ceilings.items[id] = rft_ceiling_none("not measured");
    }
    rc = rft_datasheet_facts_of(&device->facts, &gpu, r->sheets, r->arena, err);
    return rc == RFT_OK ? rft_datasheet_apply(&device->ceilings, &gpu, r->sheets, r->arena, err) : rc;
}

static int open_devices(model_request *r, rft_err *err) {
    const char *list = r->o->devices ? r->o->devices : DEVICES_DEFAULT;
    int rc = RFT_OK;
    r->answer.devices = rft_arena_calloc(r->arena, DEVICES_MAX, sizeof *r->answer.devices);
    while (rc == RFT_OK) {
        size_t length = strcspn(list, ",");
        if (r->answer.device_count == DEVICES_MAX) {
            return rft_err_set(err, RFT_E_USAGE, "--devices: more than %d", DEVICES_MAX);
        }
        rc = open_device(r, rft_arena_strndup(r->arena, list, length), err);
        if (list[length] == '\0') {
            break;
        }
        list += length + 1;
    }
    return rc;
}

/* The words of all workloads; with ridges behind those that have the axis, where `ridges` is set. */
static rft_words words_for(const model_request *r, bool ridges) {
    size_t capacity = 0, count = 0;
    for (size_t w = 0; w < r->workloads.count; w++) {
        capacity += r->workloads.items[w].count + 3;
    }
    const char **items = rft_arena_calloc(r->arena, capacity + 1, sizeof *items);
    for (size_t w = 0; w < r->workloads.count; w++) {
        const rft_workload *workload = &r->workloads.items[w];
        items[count++] = workload->model;
        for (size_t i = 0; i < workload->count; i++) {
            items[count++] = rft_arena_printf(r->arena, "%s=%s", workload->keys[i], workload->values[i]);
        }
        if (!ridges || !rft_model_has_dimension(r->catalogue, workload->model, r->o->turn)) {
            continue;
        }
        rft_str list = RFT_STR_INIT;
        for (size_t d = 0; d < r->answer.device_count; d++) {
            rft_str_add(&list, d ? "," : "@");
            double ridge = r->answer.works[w].roofs[d].ridge;
            rft_str_add_double(&list, isnan(ridge) ? 1e300 : ridge);
        }
        items[count++] = rft_arena_printf(r->arena, "@%s", r->o->turn);
        items[count++] = rft_arena_strdup(r->arena, rft_str_get(&list));
        rft_str_clear(&list);
    }
    return (rft_words){.items = items, .count = count};
}

static int take_work(model_request *r, size_t index, const json_t *given, rft_err *err) {
    rft_modelled_work *made = &r->answer.works[index];
    const json_t *work = json_object_get(given, "work");
    made->workload = &r->workloads.items[index];
    made->label = rft_workload_label(made->workload, r->arena);
    if (!work) {
        rft_err_set(err, RFT_E_USAGE, "%s", rft_json_text_or(given, "wrong", "no answer"));
        rft_err_place(err, "%s", made->label);
        return rft_err_remedy(err, "`rooftune model` explains every model's dimensions and types");
    }
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        made->work.pipe_ops[pipe] = rft_json_real_or(work, rft_pipe_name((rft_pipe)pipe), 0);
    }
    made->work.bytes_read = rft_json_real_or(work, "read", 0);
    made->work.bytes_written = rft_json_real_or(work, "write", 0);
    made->roofs = rft_arena_calloc(r->arena, r->answer.device_count + 1, sizeof *made->roofs);
    for (size_t d = 0; d < r->answer.device_count; d++) {
        made->roofs[d] = rft_sheet_roof_of(&made->work, &r->answer.devices[d].ceilings);
    }
    return RFT_OK;
}

#define ANSWER "return require(\"kernels.intensity\").answer(arg)"

static int compute(model_request *r, rft_err *err) {
    json_t *list = NULL;
    rft_words words = words_for(r, false);
    int rc = ask_module(&list, r, ANSWER, &words, err);
    r->answer.work_count = rc == RFT_OK ? r->workloads.count : 0;
    r->answer.works = rft_arena_calloc(r->arena, r->workloads.count + 1, sizeof *r->answer.works);
    for (size_t w = 0; rc == RFT_OK && w < r->answer.work_count; w++) {
        rc = take_work(r, w, json_array_get(list, w), err);
    }
    json_decref(list);
    return rc;
}

static int find_turns(model_request *r, rft_err *err) {
    json_t *list = NULL;
    bool any = false;
    for (size_t w = 0; w < r->workloads.count; w++) {
        any = any || rft_model_has_dimension(r->catalogue, r->workloads.items[w].model, r->o->turn);
    }
    if (!any) {
        rft_err_set(err, RFT_E_USAGE, "none of these models has a dimension \"%s\"", r->o->turn);
        rft_err_place(err, "--turn");
        return rft_err_remedy(err, "`rooftune model` lists every model's dimensions");
    }
    rft_words words = words_for(r, true);
    int rc = ask_module(&list, r, ANSWER, &words, err);
    r->answer.axis = r->o->turn;
    for (size_t w = 0; rc == RFT_OK && w < r->answer.work_count; w++) {
        const json_t *turns = json_object_get(json_array_get(list, w), "turns");
        if (!turns) {
            continue;
        }
        double *values = rft_arena_calloc(r->arena, r->answer.device_count + 1, sizeof *values);
        for (size_t d = 0; d < r->answer.device_count; d++) {
            const json_t *turn = json_array_get(turns, d);
            values[d] = json_is_number(turn) ? json_number_value(turn) : (double)NAN;
        }
        r->answer.works[w].turns = values;
    }
    json_decref(list);
    return rc;
}

static int answer(rft_cli *cli, const model_options *o, const rft_words *words, rft_arena *arena, rft_err *err) {
    model_request r = {.o = o, .arena = arena};
    int rc = open_files(cli, &r, err);
    if (rc == RFT_OK && words->count == 0) {
        rft_str out = RFT_STR_INIT;
        rft_model_list(&out, r.catalogue);
        fputs(rft_str_get(&out), cli->out);
        rft_str_clear(&out);
        goto done;
    }
    rc =
        rc == RFT_OK ? rft_model_words(&r.workloads, words, o->dtype ? o->dtype : "bf16", r.catalogue, arena, err) : rc;
    rc = rc == RFT_OK ? open_devices(&r, err) : rc;
    rc = rc == RFT_OK ? compute(&r, err) : rc;
    rc = rc == RFT_OK && o->turn ? find_turns(&r, err) : rc;
    rc = rc == RFT_OK ? rft_model_print(cli, rft_finding_model(&r.answer, arena), o->json, err) : rc;
done:
    json_decref(r.catalogue);
    free((char *)(uintptr_t)r.sheets);
    return rc;
}

static int project(rft_cli *cli, const model_options *o, const rft_words *words, rft_arena *arena, rft_err *err) {
    if (o->dtype || o->turn) {
        rft_err_set(err, RFT_E_USAGE, "--%s is for models, not for a run", o->dtype ? "dtype" : "turn");
        return rft_err_remedy(err, "leave it out: a run has its own types and axes");
    }
    return rft_model_project(cli, words, o->devices ? o->devices : DEVICES_DEFAULT, o->json, arena, err);
}

int rft_cmd_model(rft_cli *cli, int argc, char **argv, rft_err *err) {
    model_options o = {0};
    bool helped = false;
    rft_words rest = {0};
    const rft_opt opts[] = {
        {"dtype", 't', "TYPE,...", "type of models that have no dtype= of their own (default bf16)", NULL, &o.dtype,
         NULL},
        {"devices", 'd', "NAME,...", "by datasheet (default " DEVICES_DEFAULT "); or FILE, for a run", NULL, &o.devices,
         NULL},
        {"turn", 0, "DIMENSION", "also where along it each device turns from memory to compute", NULL, &o.turn, NULL},
        {"json", 0, "FILE|-", "as JSON; - is stdout, in place of the tables", NULL, &o.json, NULL},
    };
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &rest, NULL, &helped, err);
    if (rc == RFT_OK && !helped && rft_model_names_run(&rest)) {
        rc = project(cli, &o, &rest, arena, err);
    } else if (rc == RFT_OK && !helped) {
        rc = answer(cli, &o, &rest, arena, err);
    }
    rft_arena_free(arena);
    return rc;
}
