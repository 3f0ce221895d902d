/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_split.h"

#include "base/fs.h"
#include "cli/device_children.h"
#include "cli/import_shards.h"
#include "cli/interrupt.h"
#include "cli/outputs.h"
#include "cli/run_ahead.h"
#include "cli/run_devices.h"
#include "run/board.h"
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct split_run {
    rft_cli *cli;
    const rft_run_options *o;
    rft_arena *arena;
    const char *output, *folder; /* of the parts, until they are one file */
    rft_listed_device *listed;
    size_t count;
    rft_device_children parts;
    rft_board *board;
    rft_events *events;
    const char *again; /* the command that goes on, where something does; NULL */
} split_run;

static const char *part_path(const split_run *s, size_t card) {
    return rft_arena_printf(s->arena, "%s/%s.db", s->folder, s->listed[card].uuid);
}

/* Of a card that failed, too: what can be read counts. */
static bool holds_points(const char *path) {
    rft_run *run = NULL;
    const bool readable = rft_fs_exists(path) && rft_store_load(&run, path, NULL) == RFT_OK;
    rft_run_free(run);
    return readable;
}

static int tell_continue(split_run *s, rft_err *err) {
    s->again = rft_run_options_continue(s->cli, s->o, s->output, s->arena);
    return rft_run_options_tell_continue(s->cli, s->again, err);
}

/* ---- what is asked ---- */

static int refuse_option(rft_err *err, const char *what, const char *remedy) {
    rft_err_set(err, RFT_E_USAGE, "--split divides one run among several devices: %s", what);
    return rft_err_remedy(err, "%s", remedy);
}

static int check_options(const rft_run_options *o, rft_err *err) {
    if (!rft_run_devices_several(o->device)) {
        return refuse_option(err, "-d names one", "-d 0,1 or -d all");
    }
    if (o->shard) {
        return refuse_option(err, "a shard is one card's",
                             "give each card a shard of its own (-d 0 --shard 1/8, -d 1 --shard 2/8, ...), or leave "
                             "out --shard");
    }
    if (o->sbatch) {
        return refuse_option(err, "--sbatch gives each card a shard of its own", "leave out --split");
    }
    return RFT_OK;
}

/* What each card would say for itself. Of a script's own errors the cards know better: they have its device. */
static int check_sweeps(const split_run *s, rft_err *err) {
    rft_err why = RFT_ERR_INIT;
    if (rft_run_ahead_check(s->cli, s->o, s->arena, &why) != RFT_E_USAGE) {
        return RFT_OK;
    }
    *err = why;
    return RFT_E_USAGE;
}

static int check_model(const split_run *s, rft_err *err) {
    for (size_t i = 1; i < s->count; i++) {
        if (!rft_text_equal(s->listed[i].name, s->listed[0].name)) {
            return refuse_option(err,
                                 rft_arena_printf(s->arena, "%s is %s, and %s is %s", s->listed[0].label,
                                                  s->listed[0].name, s->listed[i].label, s->listed[i].name),
                                 "name cards of one model");
        }
    }
    return RFT_OK;
}

static int name_files(split_run *s, rft_err *err) {
    const rft_run_options *o = s->o;
    s->output = o->output ? o->output : rft_arena_printf(s->arena, "%s.db", rft_run_devices_name(o, s->arena));
    s->folder = rft_arena_printf(s->arena, "%s.parts", s->output);
    const rft_output outputs[] = {{"-o", s->output, RFT_OUTPUT_RUN},
                                  {"--report", o->no_report ? NULL : o->report, RFT_OUTPUT_FILE},
                                  {"--package", o->package, RFT_OUTPUT_FILE},
                                  {"--events", o->events, RFT_OUTPUT_STREAM}};
    int rc = rft_outputs_check(outputs, sizeof outputs / sizeof *outputs, &o->files, err);
    return rc ? rc : rft_run_ahead_folder(s->output, err);
}

/* ---- the parts ---- */

static void mark_gone(void *payload, size_t child) {
    rft_board_mark_gone(((split_run *)payload)->board, (unsigned)child);
}

static void name_parts(split_run *s, int board_fd) {
    s->parts = (rft_device_children){.cli = s->cli,
                                     .o = s->o,
                                     .arena = s->arena,
                                     .all = rft_arena_calloc(s->arena, s->count, sizeof *s->parts.all),
                                     .count = s->count,
                                     .events = s->events,
                                     .quiet = true,
                                     .ended = mark_gone,
                                     .payload = s};
    for (size_t i = 0; i < s->count; i++) {
        const char *path = part_path(s, i);
        const rft_run_change changes[] = {
            {"device", s->listed[i].device},
            {"output", path},
            {"shard", rft_arena_printf(s->arena, "%zu/%zu@/dev/fd/%d", i + 1, s->count, board_fd)},
            {"split", NULL},
            {"no-report", ""},
            {"report", NULL},
            {"package", NULL},
            {"sanitize", NULL},
            {"events", s->events ? RFT_CHILD_EVENTS : NULL},
            {NULL, NULL}};
        s->parts.all[i] = (rft_device_child){.listed = &s->listed[i],
                                             .path = path,
                                             .changes = rft_arena_memdup(s->arena, changes, sizeof changes),
                                             .fds = {-1, -1, -1}};
    }
}

/* Of --fresh: the command that goes on does not say it, and is to go on with the parts. */
static void leave_old(const split_run *s) {
    rft_store *store = NULL;
    bool any = false;
    for (size_t i = 0; i < s->count && !any; i++) {
        any = holds_points(part_path(s, i));
    }
    if (any && s->o->fresh && rft_store_open(&store, s->output, RFT_STORE_FRESH, NULL) == RFT_OK) {
        rft_store_discard(store);
    }
}

static int measure_parts(split_run *s, rft_err *err) {
    int fd = -1;
    int rc = rft_fs_make_folders(s->folder, err);
    rc = rc ? rc : rft_board_make(&s->board, &fd, (unsigned)s->count, err);
    if (rc == RFT_OK) {
        name_parts(s, fd);
        rc = rft_device_children_run(&s->parts, err);
    }
    if (fd >= 0) {
        close(fd);
    }
    rft_board_close(s->board);
    s->board = NULL;
    if (rc == RFT_OK && rft_interrupt_count() > 0) {
        leave_old(s);
        rft_err_set(err, RFT_E_INTERRUPTED, "stopped; what each device measured is stored in %s", s->folder);
        rc = tell_continue(s, err);
    }
    return rc;
}

/* It has nothing more to measure; that nothing was valid is no fault of the card. */
static bool ended_well(const rft_device_child *part) {
    return part->exit_status == 0 || part->exit_status == rft_code_exit_status(RFT_E_NOTHING);
}

/* ---- one file ---- */

/* The part that ranks goes first: of what two measured its time stands. */
static int put_together(split_run *s, size_t ranks, rft_err *err) {
    rft_words files = {.items = rft_arena_calloc(s->arena, s->count, sizeof *files.items)};
    rft_shard_losses losses = {.items = rft_arena_calloc(s->arena, s->count, sizeof *losses.items)};
    const char *whole = rft_arena_printf(s->arena, "%s/_whole.db", s->folder); /* no UUID has that letter */
    files.items[files.count++] = s->parts.all[ranks].path;
    for (size_t i = 0; i < s->count; i++) {
        const rft_device_child *part = &s->parts.all[i];
        if (!ended_well(part)) {
            const char *end = part->error
                                  ? part->error
                                  : rft_arena_printf(s->arena, "its part ended with status %d", part->exit_status);
            losses.items[losses.count++] = (rft_shard_loss){part->listed->uuid, end};
        }
        if (i != ranks && (ended_well(part) || holds_points(part->path))) {
            files.items[files.count++] = part->path;
        }
    }
    int rc = rft_fs_remove(whole, err);
    rc = rc ? rc : rft_import_shards(s->cli, &files, &(rft_import_opts){.losses = &losses}, whole, err);
    if (rc == RFT_OK && rename(whole, s->output) != 0) {
        rft_err_set(err, RFT_E_IO, "%s cannot become %s: %s", whole, s->output, strerror(errno));
        rc = rft_err_remedy(err, "`rooftune run SWEEP.lua -o %s` goes on with it", whole);
    }
    return rc;
}

/* What another has put there stays, also by a part's name. */
static void remove_parts(const split_run *s) {
    for (size_t i = 0; i < s->count; i++) {
        const char *path = part_path(s, i);
        if (holds_points(path)) {
            rft_fs_remove(path, NULL);
            rft_fs_remove(rft_arena_printf(s->arena, "%s-lock", path), NULL);
        }
    }
    if (rmdir(s->folder) != 0 && errno == ENOTEMPTY) {
        rft_log_info(&s->cli->log, "%s stays: it holds more than the parts of these cards", s->folder);
    }
}

/* ---- what compares ---- */

/* The exit status of the run that goes on with the file. */
static int go_on(split_run *s, const rft_listed_device *card, int *status, rft_err *err) {
    const rft_run_change changes[] = {{"device", card->device},
                                      {"output", s->output},
                                      {"split", NULL},
                                      {"fresh", s->parts.count ? NULL
                                                : s->o->fresh  ? ""
                                                               : NULL},
                                      {"events", s->events ? RFT_CHILD_EVENTS : NULL},
                                      {NULL, NULL}};
    rft_device_child child = {.listed = card, .path = s->output, .changes = changes, .fds = {-1, -1, -1}};
    rft_device_children one = {
        .cli = s->cli, .o = s->o, .arena = s->arena, .all = &child, .count = 1, .events = s->events};
    int rc = rft_device_children_run(&one, err);
    *status = child.exit_status;
    return rc;
}

static int end_with(split_run *s, const rft_listed_device *card, int status, rft_err *err) {
    if (status == 0) {
        return RFT_OK;
    }
    if (status == rft_code_exit_status(RFT_E_INTERRUPTED)) {
        rft_err_set(err, RFT_E_INTERRUPTED, "stopped; what was measured is stored in %s", s->output);
    } else {
        rft_err_set(err, -status, "%s, which ranks, ended with status %d, and says why above", card->label, status);
    }
    return tell_continue(s, err);
}

static bool is_of_the_card(int status) {
    return status == rft_code_exit_status(RFT_E_DEVICE) || status == rft_code_exit_status(RFT_E_WORKER) ||
           status == rft_code_exit_status(RFT_E_BUSY);
}

static int rank(split_run *s, rft_err *err) {
    int rc = RFT_OK, status = 0;
    for (size_t i = 0; i < s->count; i++) {
        rft_device_child *part = &s->parts.all[i];
        if (!ended_well(part)) {
            continue;
        }
        rc = put_together(s, i, err);
        rc = rc ? rc : go_on(s, part->listed, &status, err);
        if (rc != RFT_OK || !is_of_the_card(status)) {
            if (rc == RFT_OK && status == 0) {
                remove_parts(s);
            }
            return rc ? rc : end_with(s, part->listed, status, err);
        }
        rft_log_warn(&s->cli->log, "%s has failed while it ranked: the next card ranks", part->listed->label);
        part->exit_status = status;
    }
    const rft_device_child *first = &s->parts.all[0];
    rft_err_set(err, -first->exit_status, "no card ended its part; %s ended with status %d, and says why above",
                first->listed->label, first->exit_status);
    return tell_continue(s, err);
}

/* The file is there: the card of its ranked times goes on, where it is among the devices. */
static int continue_whole(split_run *s, rft_err *err) {
    rft_run *run = NULL;
    int status = 0;
    size_t card = 0;
    int rc = s->count > 1 ? rft_store_load(&run, s->output, err) : RFT_OK;
    for (size_t i = 0; run && i < s->count; i++) {
        card = rft_text_equal(s->listed[i].uuid, run->gpu.uuid) ? i : card;
    }
    rft_run_free(run);
    rc = rc ? rc : go_on(s, &s->listed[card], &status, err);
    if (rc == RFT_OK && status == 0) {
        remove_parts(s); /* it may have been stopped while it ranked */
    }
    return rc ? rc : end_with(s, &s->listed[card], status, err);
}

static int divide(split_run *s, rft_err *err) {
    const bool goes_on = rft_fs_exists(s->output) && !s->o->fresh;
    if (goes_on || s->count == 1) {
        return continue_whole(s, err);
    }
    int rc = measure_parts(s, err);
    return rc ? rc : rank(s, err);
}

int rft_run_split(rft_cli *cli, const rft_run_options *o, rft_err *err) {
    split_run s = {.cli = cli, .o = o, .arena = rft_arena_new()};
    int rc = check_options(o, err);
    rc = rc ? rc : check_sweeps(&s, err);
    rc = rc ? rc : rft_device_list(&s.listed, &s.count, o->device, s.arena, err);
    if (rc == RFT_OK && s.count > RFT_BOARD_CARDS) {
        rc = refuse_option(err, "there are too many", "name 256 at most");
    }
    rc = rc ? rc : check_model(&s, err);
    rc = rc ? rc : name_files(&s, err);
    rc = rc || !o->events ? rc : rft_events_open(&s.events, cli, o->events, err);
    rc = rc ? rc : divide(&s, err);
    if (s.events) {
        rft_events_put_end(s.events,
                           &(rft_events_end){.code = rc, .err = err, .path = s.output, .continue_line = s.again});
        rft_events_close(s.events);
    }
    rft_arena_free(s.arena);
    return rc;
}
