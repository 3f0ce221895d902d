/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_devices.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/units.h"
#include "cli/device_children.h"
#include "run/board.h"

#include <stdlib.h>
#include <string.h>

typedef struct device_runs {
    rft_cli *cli;
    const rft_run_options *o;
    rft_arena *arena;
    const char *folder;
    rft_board *board; /* of --together */
    int board_fd;
    rft_device_children children;
} device_runs;

bool rft_run_devices_several(const char *device) {
    if (!device) {
        return false;
    }
    if (rft_text_starts(device, "replay:") && rft_fs_exists(device + strlen("replay:"))) {
        return false; /* a file's name may have a comma */
    }
    return strcmp(device, "all") == 0 || strchr(device, ',') != NULL;
}

/* ---- where to ---- */

const char *rft_run_devices_name(const rft_run_options *o, rft_arena *arena) {
    char iso[40];
    const rft_clock *clock = rft_clock_system();
    char *stem = rft_fs_stem(o->files.items[0]);
    rft_units_format_iso(iso, sizeof iso, clock->unix_ns(clock->self));
    iso[10] = '\0'; /* the day */
    const char *name = rft_arena_printf(arena, "%s-%s", stem, iso);
    free(stem);
    return name;
}

static int prepare_folder(device_runs *d, rft_err *err) {
    d->folder = d->o->output ? d->o->output : rft_run_devices_name(d->o, d->arena);
    if (d->o->report) {
        rft_err_set(err, RFT_E_USAGE, "--report names one file, and several devices make a report each");
        return rft_err_remedy(err, "leave it out: the reports go beside the run files in the folder that -o names");
    }
    if (rft_fs_exists(d->folder) && !rft_fs_is_folder(d->folder)) {
        rft_err_set(err, RFT_E_IO, "%s is a file, and several devices write a file each", d->folder);
        return rft_err_remedy(err, "-o names a folder where -d names several devices");
    }
    return d->o->dry_run ? RFT_OK : rft_fs_make_folders(d->folder, err);
}

/* ---- all of them ---- */

/* `again`: the command that goes on. */
static int verdict(const device_runs *d, const char *again, rft_err *err) {
    size_t failed = 0;
    int worst = 0;
    const rft_device_child *example = NULL;
    for (size_t i = 0; i < d->children.count; i++) {
        const rft_device_child *child = &d->children.all[i];
        failed += child->exit_status != 0;
        if (child->exit_status > worst) {
            worst = child->exit_status;
            example = child;
        }
    }
    if (!example) {
        return RFT_OK;
    }
    if (worst == rft_code_exit_status(RFT_E_INTERRUPTED)) {
        rft_err_set(err, RFT_E_INTERRUPTED, "stopped; what was measured is stored in %s", d->folder);
    } else {
        rft_err_set(err, -worst, "%zu of %zu runs did not end well; %s ended with status %d, and says why above",
                    failed, d->children.count, example->listed->label, worst);
    }
    return rft_run_options_tell_continue(d->cli, again, err);
}

/* The same words for each, with its own device, file and events. */
static void name_children(device_runs *d, const rft_listed_device *listed, size_t count) {
    d->children.all = rft_arena_calloc(d->arena, count, sizeof *d->children.all);
    d->children.count = count;
    for (size_t i = 0; i < count; i++) {
        const char *path = rft_arena_printf(d->arena, "%s/%s.db", d->folder, listed[i].uuid);
        const char *device = d->board
                                 ? rft_arena_printf(d->arena, "%s@/dev/fd/%d:%zu", listed[i].device, d->board_fd, i)
                                 : listed[i].device;
        const rft_run_change changes[] = {{"device", device},
                                          {"output", path},
                                          {"events", d->children.events ? RFT_CHILD_EVENTS : NULL},
                                          {NULL, NULL}};
        d->children.all[i] = (rft_device_child){.listed = &listed[i],
                                                .path = path,
                                                .changes = rft_arena_memdup(d->arena, changes, sizeof changes),
                                                .fds = {-1, -1, -1}};
    }
}

static void leaves_others(void *payload, size_t child) {
    rft_board_mark_gone(((device_runs *)payload)->board, (unsigned)child);
}

int rft_run_devices(rft_cli *cli, const rft_run_options *o, rft_err *err) {
    device_runs d = {.cli = cli, .o = o, .arena = rft_arena_new()};
    rft_listed_device *listed = NULL;
    size_t count = 0;
    d.children = (rft_device_children){.cli = cli, .o = o, .arena = d.arena};
    int rc = rft_device_list(&listed, &count, o->device, d.arena, err);
    if (rc == RFT_OK) {
        rc = prepare_folder(&d, err);
    }
    if (rc == RFT_OK && o->events && !o->dry_run) {
        rc = rft_events_open(&d.children.events, cli, o->events, err);
    }
    if (rc == RFT_OK && o->together && !o->dry_run) {
        rc = rft_board_make(&d.board, &d.board_fd, (unsigned)count, err);
        d.children.ended = leaves_others;
        d.children.payload = &d;
    }
    if (rc == RFT_OK) {
        name_children(&d, listed, count);
        rc = rft_device_children_run(&d.children, err);
        const char *again = rft_run_options_continue(cli, o, d.folder, d.arena);
        rc = rc == RFT_OK ? verdict(&d, again, err) : rc;
        rft_events_put_end(
            d.children.events,
            &(rft_events_end){.code = rc, .err = err, .path = d.folder, .continue_line = rc ? again : NULL});
    }
    rft_events_close(d.children.events);
    rft_board_close(d.board);
    rft_arena_free(d.arena);
    return rc;
}
