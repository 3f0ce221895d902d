/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/events.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/units.h"
#include "cli/show_data.h"
#include "model/roofline/bound.h"
#include "model/roofline/placement.h"
#include "model/transition/refine.h"
#include "reports/findings/findings.h"
#include "reports/print/print.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEAD "{\"event\":" /* of every line */
#define PROGRESS_EVERY_S 1.0

struct rft_events {
    rft_cli *cli;
    FILE *file; /* NULL: given up */
    FILE *out;  /* what cli->out was */
    const char *path;
    int64_t began_ns;
    double next_progress_s;
    json_t *last_progress; /* of the latest point, not written yet; NULL */
};

/* ---- the stream ---- */

/* Is there something that is no stream of events? A pipe or a device holds no text. */
static bool holds_something_else(const char *path) {
    struct stat status;
    char head[sizeof HEAD] = "";
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) {
        return false;
    }
    size_t length = rft_fs_head(path, head, sizeof HEAD - 1);
    return length != sizeof HEAD - 1 || strcmp(head, HEAD) != 0;
}

int rft_events_open(rft_events **out, rft_cli *cli, const char *path, rft_err *err) {
    const rft_clock *clock = rft_clock_system();
    bool to_stdout = strcmp(path, "-") == 0;
    if (!to_stdout && holds_something_else(path)) {
        rft_err_set(err, RFT_E_IO, "%s holds something other than events, which would be lost", path);
        return rft_err_remedy(err, "name another file with --events, or remove that one");
    }
    FILE *file = to_stdout ? stdout : fopen(path, "we");
    if (!file) {
        rft_err_set(err, RFT_E_IO, "%s cannot be written: %s", path, strerror(errno));
        return rft_err_remedy(err, "--events takes a file in a folder that exists and that you may write to, or -");
    }
    rft_events *events = rft_alloc(sizeof *events);
    *events = (rft_events){.cli = cli, .file = file, .out = cli->out, .path = to_stdout ? "stdout" : path};
    events->began_ns = clock->monotonic_ns(clock->self);
    cli->out = to_stdout ? cli->talk : cli->out;
    *out = events;
    return RFT_OK;
}

void rft_events_close(rft_events *events) {
    if (!events) {
        return;
    }
    if (events->file && events->file != stdout) {
        fclose(events->file);
    }
    events->cli->out = events->out;
    json_decref(events->last_progress);
    free(events);
}

static void give_up(rft_events *events) {
    rft_log_warn(&events->cli->log, "no more events: %s cannot be written (%s). The run goes on without them.",
                 events->path, strerror(errno));
    if (events->file != stdout) {
        fclose(events->file);
    } else {
        clearerr(stdout); /* the results of the command are not incomplete */
    }
    events->file = NULL;
}

void rft_events_put(rft_events *events, const char *event, json_t *fields) {
    const rft_clock *clock = rft_clock_system();
    json_t *line = json_object();
    size_t length = 0;
    if (events && events->file) {
        double at_s = (double)(clock->monotonic_ns(clock->self) - events->began_ns) * 1e-9;
        json_object_set_new(line, "event", json_string(event));
        json_object_set_new(line, "version", json_integer(RFT_EVENTS_VERSION));
        json_object_set_new(line, "at_s", rft_json_real_new(at_s));
        json_object_update(line, fields);
        char *text = rft_json_dump(line, &length);
        bool written = fwrite(text, 1, length, events->file) == length && fputc('\n', events->file) != EOF;
        free(text);
        if (!written || fflush(events->file) != 0) {
            give_up(events);
        }
    }
    json_decref(line);
    json_decref(fields);
}

/* ---- what is said ---- */

static void set_real(json_t *object, const char *name, double value) {
    json_object_set_new(object, name, rft_json_real_new(value));
}

static void set_text(json_t *object, const char *name, const char *text) {
    json_object_set_new(object, name, rft_show_text_json(text));
}

static void set_count(json_t *object, const char *name, uint64_t count) {
    json_object_set_new(object, name, json_integer((json_int_t)count));
}

static json_t *of_sweep(const rft_run_sweep *kept) {
    const rft_sweep *sweep = &kept->sweep;
    json_t *object = json_object();
    json_t *variants = json_array();
    uint64_t valid = 0;
    uint64_t cartesian = 0;
    uint64_t odd = 0;
    for (size_t v = 0; v < sweep->variant_count; v++) {
        uint64_t own_odd = 0; /* of the first odd problem that it takes */
        json_array_append_new(variants, rft_show_text_json(sweep->variants[v].name));
        for (size_t p = 0; p < sweep->problem_count; p++) {
            size_t at = v * sweep->problem_count + p;
            bool is_odd = sweep->problems[p].odd;
            bool in_grid = !is_odd && sweep->problems[p].refined == 0;
            own_odd = is_odd && own_odd == 0 ? kept->valid[at] : own_odd;
            valid += in_grid ? kept->valid[at] : 0;
            cartesian += in_grid ? kept->cartesian[at] : 0;
        }
        odd += own_odd;
    }
    set_text(object, "name", sweep->name);
    set_text(object, "script", sweep->path);
    json_object_set_new(object, "variants", variants);
    set_count(object, "combinations", cartesian);
    set_count(object, "valid", valid);
    set_count(object, "odd", odd);
    set_count(object, "refined", rft_refine_added(sweep));
    set_count(object, "refined_most", rft_refine_most(sweep));
    return object;
}

void rft_events_put_begin(rft_events *events, const rft_events_begin *begin) {
    const rft_run *run = begin->run;
    if (!events) {
        return;
    }
    json_t *fields = json_object();
    json_t *device = json_object();
    json_t *sweeps = json_array();
    set_text(fields, "run", run->info.id);
    set_text(fields, "file", begin->path);
    set_text(device, "name", run->gpu.name);
    set_text(device, "arch", run->gpu.arch);
    set_text(device, "uuid", run->gpu.uuid);
    json_object_set_new(fields, "gpu", device);
    set_text(fields, "replay_of", run->info.replay_of);
    set_count(fields, "seed", run->info.seed);
    json_object_set_new(fields, "continued", json_boolean(begin->continued));
    json_object_set_new(fields, "finished", json_boolean(begin->finished));
    set_count(fields, "known", run->point_count);
    for (size_t s = 0; s < run->sweep_count; s++) {
        json_array_append_new(sweeps, of_sweep(&run->sweeps[s]));
    }
    json_object_set_new(fields, "sweeps", sweeps);
    rft_events_put(events, "begin", fields);
}

static json_t *of_point(const rft_run *run, const rft_point *point) {
    const rft_sweep *sweep = &run->sweeps[point->sweep].sweep;
    const rft_variant *variant = &sweep->variants[point->variant];
    const rft_measurement *m = rft_outcome_is_measured(point->outcome) ? rft_point_measurement(point) : NULL;
    json_t *object = json_object();
    json_object_set_new(object, "point", json_integer(point->id));
    set_text(object, "sweep", sweep->name);
    set_text(object, "variant", variant->name);
    json_object_set_new(object, "problem", rft_show_problem_json(sweep, point->problem));
    json_object_set_new(object, "odd", json_boolean(sweep->problems[point->problem].odd));
    json_object_set_new(object, "refined", json_integer(sweep->problems[point->problem].refined));
    json_object_set_new(object, "configuration", rft_show_config_json(variant, point->config));
    json_object_set_new(object, "outcome", json_string(rft_outcome_name(point->outcome)));
    set_text(object, "reason", point->reason);
    json_object_set_new(object, "alias_of", point->alias_of ? json_integer(point->alias_of) : json_null());
    rft_arena *arena = rft_arena_new();
    json_object_update_new(object, rft_print_json(rft_finding_timing(m, arena)));
    rft_arena_free(arena);
    set_real(object, "median_s", m ? m->stats.median : (double)NAN);
    set_real(object, "low_s", m ? m->stats.low : (double)NAN);
    set_real(object, "high_s", m ? m->stats.high : (double)NAN);
    json_object_set_new(object, "samples", m ? json_integer((json_int_t)m->n) : json_null());
    json_object_set_new(object, "n", m ? json_integer((json_int_t)m->n) : json_null()); /* samples until 0.1.0 */
    set_real(object, "efficiency_frac", m ? rft_placement_of(run, point).efficiency_frac : (double)NAN);
    rft_bound bound = m ? rft_bound_of(run, point) : (rft_bound){.resource = RFT_RESOURCE_UNKNOWN};
    bool known = bound.resource != RFT_RESOURCE_UNKNOWN;
    set_text(object, "bound", known ? rft_resource_name(bound.resource, bound.pipe) : NULL);
    return object;
}

static json_t *of_progress(const rft_exec_progress *p) {
    json_t *object = json_object();
    json_t *failed = json_object();
    double rate = p->elapsed_s > 0 ? (double)p->taken / p->elapsed_s : (double)NAN;
    bool knows_rate = p->taken > 0 && isfinite(rate);
    for (int outcome = 0; outcome < RFT_OUTCOME_COUNT; outcome++) {
        if (!rft_outcome_is_measured((rft_outcome)outcome) && p->outcomes[outcome]) {
            set_count(failed, rft_outcome_name((rft_outcome)outcome), p->outcomes[outcome]);
        }
    }
    set_count(object, "done", p->done);
    set_count(object, "planned", p->planned);
    set_count(object, "refined", p->refined);
    json_object_set_new(object, "failed", failed);
    json_object_set_new(object, "final_round", json_boolean(p->final_round));
    set_real(object, "elapsed_s", p->elapsed_s);
    set_real(object, "points_per_s", knows_rate ? rate : (double)NAN);
    set_real(object, "eta_s", knows_rate && !p->final_round ? (double)(p->planned - p->done) / rate : (double)NAN);
    set_real(object, "busy_frac", p->elapsed_s > 0 ? p->busy_s / p->elapsed_s : (double)NAN);
    json_object_set_new(object, "best", p->best ? json_integer(p->best->id) : json_null());
    return object;
}

static void flush_progress(rft_events *events) {
    if (events->last_progress) {
        rft_events_put(events, "progress", events->last_progress);
        events->last_progress = NULL;
    }
}

static void put_counters(rft_events *events, const rft_run *run, const rft_point *point) {
    rft_arena *arena = rft_arena_new();
    rft_bound bound = rft_bound_of(run, point);
    bool known = bound.resource != RFT_RESOURCE_UNKNOWN;
    json_t *fields = json_object();
    json_object_set_new(fields, "point", json_integer(point->id));
    json_object_set_new(fields, "counters", rft_print_json(rft_finding_counters(run, point, arena)));
    set_text(fields, "bound", known ? rft_resource_name(bound.resource, bound.pipe) : NULL);
    set_text(fields, "evidence", known ? rft_evidence_name(bound.evidence) : NULL);
    rft_events_put(events, "counters", fields);
    rft_arena_free(arena);
}

void rft_events_put_progress(rft_events *events, const rft_run *run, const rft_exec_progress *progress) {
    if (!events || !events->file) {
        return;
    }
    if (progress->counts) {
        put_counters(events, run, progress->counts);
        return;
    }
    if (progress->doing) {
        rft_events_put(events, "doing",
                       json_pack("{s:s,s:I}", "what", progress->doing, "point", (json_int_t)progress->last->id));
        return;
    }
    json_t *fields = of_point(run, progress->last);
    json_object_set_new(fields, "final_round", json_boolean(progress->final_round));
    json_object_set_new(fields, "stored", json_boolean(progress->stored));
    rft_events_put(events, "point", fields);
    json_decref(events->last_progress);
    events->last_progress = of_progress(progress);
    if (progress->elapsed_s >= events->next_progress_s) {
        events->next_progress_s = progress->elapsed_s + PROGRESS_EVERY_S;
        flush_progress(events);
    }
}

void rft_events_put_ceilings(rft_events *events, const rft_run *run) {
    if (events) {
        rft_events_put(events, "ceilings",
                       json_pack("{s:o}", "ceilings", rft_print_json(rft_finding_ceilings(run, run->arena))));
    }
}

void rft_events_put_baseline(rft_events *events, const rft_run *run, const rft_baseline *baseline) {
    if (events) {
        rft_arena *arena = rft_arena_new();
        json_t *list = rft_print_json(rft_finding_baseline(run, baseline, arena));
        json_t *fields = json_incref(json_array_get(list, 0));
        json_decref(list);
        set_text(fields, "sweep", run->sweeps[baseline->sweep].sweep.name);
        rft_events_put(events, "baseline", fields);
        rft_arena_free(arena);
    }
}

void rft_events_put_end(rft_events *events, const rft_events_end *end) {
    if (!events) {
        return;
    }
    const char *status = end->code == RFT_OK ? "finished" : end->code == RFT_E_INTERRUPTED ? "stopped" : "failed";
    json_t *fields = json_object();
    flush_progress(events);
    set_text(fields, "status", status);
    json_object_set_new(fields, "exit_code", json_integer(rft_code_exit_status(end->code)));
    set_text(fields, "place", end->code != RFT_OK && *end->err->place ? end->err->place : NULL);
    set_text(fields, "message", end->code != RFT_OK ? end->err->message : NULL);
    set_text(fields, "remedy", end->code != RFT_OK && *end->err->remedy ? end->err->remedy : NULL);
    set_text(fields, "run", end->run ? end->run->info.id : NULL);
    set_text(fields, "file", end->path);
    set_text(fields, "report", end->report);
    set_text(fields, "continue", end->continue_line);
    json_object_set_new(fields, "points", end->run ? json_integer((json_int_t)end->run->point_count) : json_null());
    rft_arena *arena = rft_arena_new();
    json_object_set_new(fields, "cost", rft_print_json(end->run ? rft_finding_cost(end->run, arena) : NULL));
    rft_arena_free(arena);
    rft_events_put(events, "end", fields);
}
