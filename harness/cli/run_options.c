/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_options.h"

#include "base/fs.h"
#include "base/units.h"
#include "cli/command_text.h"
#include "search/strategy.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS_MOST 48 /* besides sweeps, script arguments and allowed paths */

static int check_report_place(const rft_run_options *o, rft_err *err) {
    if (!o->report || o->no_report) {
        return RFT_OK;
    }
    char *folder = rft_fs_folder(o->report);
    bool there = !rft_fs_is_folder(o->report) && (access(o->report, W_OK) == 0 || access(folder, W_OK) == 0);
    free(folder);
    if (there) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_IO, "the report cannot be written to %s", o->report);
    return rft_err_remedy(err, "--report takes a file in a folder that exists and that you may write to");
}

static int parse_budget(rft_run_options *o, rft_err *err) {
    int rc = o->budget ? rft_budget_parse(&o->budgets, o->budget, err) : RFT_OK;
    return rc == RFT_OK ? rc : rft_err_context(err, "--budget");
}

/* "95%" or "0.95". */
static int parse_goal(rft_run_options *o, rft_err *err) {
    char number[32];
    size_t length = o->goal ? strlen(o->goal) : 0;
    bool percent = length > 0 && o->goal[length - 1] == '%';
    if (!o->goal) {
        return RFT_OK;
    }
    rft_text_format(number, sizeof number, "%.*s", (int)(length - percent), o->goal);
    if (rft_text_to_double(number, &o->goal_frac)) {
        o->goal_frac = percent ? o->goal_frac / 100 : o->goal_frac;
        if (o->goal_frac > 0 && o->goal_frac <= 1) {
            return RFT_OK;
        }
    }
    rft_err_set(err, RFT_E_USAGE, "--goal takes a share of the roof, not \"%s\"", o->goal);
    return rft_err_remedy(err, "for instance --goal 95%% ends a search whose best reaches 95 %% of its roof");
}

static int parse_objective(rft_run_options *o, rft_err *err) {
    if (!o->objective || rft_objective_from_name(&o->objective_value, o->objective)) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_USAGE, "--objective takes time, energy or edp, not \"%s\"", o->objective);
    return rft_err_remedy(err, "edp is energy x time");
}

static int check_strategy(const char *name, rft_err *err) {
    const char *names[16];
    size_t count = 0;
    for (const rft_strategy_entry *entry = rft_strategy_list(); entry->name && count < 16; entry++) {
        if (strcmp(entry->name, name) == 0) {
            return RFT_OK;
        }
        names[count++] = entry->name;
    }
    const char *near = rft_text_nearest(name, names, count);
    rft_err_set(err, RFT_E_USAGE, "no search strategy \"%s\"%s%s%s", name, near ? ", did you mean \"" : "",
                near ? near : "", near ? "\"?" : "");
    rft_err_remedy(err, "`rooftune run --help` names them");
    return RFT_E_USAGE;
}

static int parse_ceilings(rft_run_options *o, rft_err *err) {
    o->ceilings_again = o->ceilings && strcmp(o->ceilings, "again") == 0;
    if (!o->ceilings || o->ceilings_again || strcmp(o->ceilings, "kept") == 0) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_USAGE, "--ceilings takes kept or again, not \"%s\"", o->ceilings);
    return rft_err_remedy(err, "`rooftune ceilings` measures all of them alone");
}

#define SOAK_LEAST_S 3.0 /* its last third counts, and a second is the least that does */

static int parse_power(rft_run_options *o, rft_err *err) {
    static const char *const choices[] = {"none", "auto", "largest", "best", "all"}; /* as rft_power_choice */
    size_t count = sizeof choices / sizeof choices[0], chosen = RFT_POWER_AUTO;
    if (o->energy) {
        for (chosen = 0; chosen < count && strcmp(o->energy, choices[chosen]) != 0; chosen++) {
        }
    }
    if (chosen == count) {
        rft_err_set(err, RFT_E_USAGE, "--energy takes none, auto, largest, best or all, not \"%s\"", o->energy);
        return rft_err_remedy(err, "`rooftune run --help` says of which points energy is measured then");
    }
    o->power = (rft_power_choice)chosen;
    int rc = rft_opt_seconds(&o->soak_s, "--soak", o->soak, err);
    if (rc == RFT_OK && o->soak && o->soak_s < SOAK_LEAST_S) {
        rft_err_set(err, RFT_E_USAGE, "--soak %s is too short: its last third is what counts", o->soak);
        rc = rft_err_remedy(err, "a soak takes 3s at least, and a minute until a card is warm");
    }
    return rc;
}

/* What the words mean, now that all are known. */
static int understand(rft_run_options *o, rft_arena *arena, rft_err *err) {
    int64_t number = 0;
    if (o->files.count == 0) {
        rft_err_set(err, RFT_E_USAGE, "no sweep given");
        return rft_err_remedy(err, "name a script: rooftune run sweeps/quick.lua");
    }
    if (o->seed && (!rft_text_to_int64(o->seed, &number) || number < 0)) {
        return rft_err_set(err, RFT_E_USAGE, "--seed takes a whole number, not \"%s\"", o->seed);
    }
    o->seed_value = o->seed ? (uint64_t)number : 0;
    int rc = parse_budget(o, err);
    rc = rc ? rc : parse_goal(o, err);
    rc = rc ? rc : parse_objective(o, err);
    rc = rc ? rc : parse_ceilings(o, err);
    rc = rc || !o->strategy ? rc : check_strategy(o->strategy, err);
    rc = rc ? rc : rft_opt_seconds(&o->point_timeout_s, "--timeout", o->timeout, err);
    rc = rc ? rc : rft_opt_seconds(&o->compile_timeout_s, "--compile-timeout", o->compile_timeout, err);
    rc = rc ? rc : rft_opt_seconds(&o->min_time_s, "--min-time", o->min_time, err);
    rc = rc ? rc : parse_power(o, err);
    rc = rc ? rc : rft_counted_wish_parse(&o->counter_wish, o->counters, arena, err);
    return rc ? rc : check_report_place(o, err);
}

#define HELP_WIDTH 60 /* of a line of names, so that the help fits 100 columns */

/* The names of all strategies, in lines that stand under each other. */
static const char *strategy_help(rft_arena *arena) {
    const char *text = "";
    size_t line = 0;
    for (const rft_strategy_entry *entry = rft_strategy_list(); entry->name; entry++) {
        bool breaks = line + strlen(entry->name) > HELP_WIDTH;
        line = breaks ? 0 : line;
        text = rft_arena_printf(arena, "%s%s%s", text,
                                breaks ? ",\n                               "
                                : line ? ", "
                                       : "",
                                entry->name);
        line += strlen(entry->name) + 2;
    }
    return rft_arena_printf(arena, "%s (docs/search.md)", text);
}

int rft_run_options_parse(rft_cli *cli, rft_run_options *out, int argc, char **argv, rft_arena *arena, bool *helped,
                          rft_err *err) {
    rft_run_options *o = out;
    const rft_opt opts[] = {
        {"device", 'd', "DEVICES", "0, or 0,1, or all, or replay:FILE; replay: where the sweep is one", NULL,
         &o->device, NULL},
        {"output", 'o', "RUN.db", "the run file (default SWEEP-GPU-DATE.db); of several devices a folder", NULL,
         &o->output, NULL},
        {"report", 0, "OUT.pdf", "the report (default: beside the run file)", NULL, &o->report, NULL},
        {"no-report", 0, NULL, "measure only", &o->no_report, NULL, NULL},
        {"budget", 0, "10m|500", "stop after a time, a number of configurations, or gpu:30s of GPU time", NULL,
         &o->budget, NULL},
        {"goal", 0, "95%", "stop where the best reaches this share of its roof", NULL, &o->goal, NULL},
        {"objective", 0, "WHAT", "the best is best in time, energy or edp (default: as the sweep says)", NULL,
         &o->objective, NULL},
        {"timeout", 0, "2s", "limit of one point (default: as the sweep says, else 10s)", NULL, &o->timeout, NULL},
        {"compile-timeout", 0, "30s", "limit of one compile (default: as the sweep says, else 60s)", NULL,
         &o->compile_timeout, NULL},
        {"strategy", 0, "NAME", strategy_help(arena), NULL, &o->strategy, NULL},
        {"seed", 0, "N", "order of trying (default: as the sweep says, else 1)", NULL, &o->seed, NULL},
        {"min-time", 0, "0.1s", "GPU time of a point's samples at least (default: as the sweep says)", NULL,
         &o->min_time, NULL},
        {"no-race", 0, NULL, "keep measuring configurations that are clearly slower than the best", &o->no_race, NULL,
         NULL},
        {"no-prune", 0, NULL, "also measure configurations that the hardware's limits rule out", &o->no_prune, NULL,
         NULL},
        {"ceilings", 0, "kept|again", "ceilings of the last day on this card, or measured anew", NULL, &o->ceilings,
         NULL},
        {"energy", 0, "WHICH", "energy of: none, largest, best, all, auto (default: largest if cheap)", NULL,
         &o->energy, NULL},
        {"soak", 0, "60s", "keep the best of each sweep's largest problem under load so long", NULL, &o->soak, NULL},
        {"counters", 0, "SET", "hardware counters at the end: default (brief), none, all, NAME,...", NULL, &o->counters,
         NULL},
        {"events", 0, "FILE|-", "what happens as JSON Lines for other programs (docs/events.md)", NULL, &o->events,
         NULL},
        {"wait", 0, NULL, "where another rooftune uses the device, wait until it is free", &o->wait, NULL, NULL},
        {"fresh", 0, NULL, "start anew where a run file exists", &o->fresh, NULL, NULL},
        {"dry-run", 0, NULL, "print the plan and stop", &o->dry_run, NULL, NULL},
        RFT_OPT_ALLOW_PATH(&o->allow_paths),
    };
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &o->files, &o->script_args,
                           helped, err);
    rc = rc ? rc : rft_opt_allow_paths(cli, &o->allow_paths, err);
    return rc != RFT_OK || *helped ? rc : understand(o, arena, err);
}

static void add_option(rft_words *words, const char *name, const char *value) {
    if (value) {
        words->items[words->count++] = name;
        words->items[words->count++] = value;
    }
}

static void add_flag(rft_words *words, const char *name, bool set) {
    if (set) {
        words->items[words->count++] = name;
    }
}

static void add_all(rft_words *words, const rft_words *more) {
    for (size_t i = 0; i < more->count; i++) {
        words->items[words->count++] = more->items[i];
    }
}

rft_words rft_run_options_words(const rft_run_options *o, rft_arena *arena) {
    rft_words words = {0};
    size_t lists = o->files.count + o->script_args.count + 2 * o->allow_paths.count;
    words.items = rft_arena_calloc(arena, WORDS_MOST + lists, sizeof *words.items);
    words.items[words.count++] = "run";
    add_all(&words, &o->files);
    add_option(&words, "-d", o->device);
    add_option(&words, "-o", o->output);
    add_option(&words, "--report", o->report);
    add_flag(&words, "--no-report", o->no_report);
    add_option(&words, "--budget", o->budget);
    add_option(&words, "--goal", o->goal);
    add_option(&words, "--objective", o->objective);
    add_option(&words, "--timeout", o->timeout);
    add_option(&words, "--compile-timeout", o->compile_timeout);
    add_option(&words, "--strategy", o->strategy);
    add_option(&words, "--seed", o->seed);
    add_option(&words, "--min-time", o->min_time);
    add_flag(&words, "--no-race", o->no_race);
    add_flag(&words, "--no-prune", o->no_prune);
    add_option(&words, "--ceilings", o->ceilings);
    add_option(&words, "--energy", o->energy);
    add_option(&words, "--soak", o->soak);
    add_option(&words, "--counters", o->counters);
    add_option(&words, "--events", o->events);
    add_flag(&words, "--wait", o->wait);
    add_flag(&words, "--fresh", o->fresh);
    add_flag(&words, "--dry-run", o->dry_run);
    for (size_t i = 0; i < o->allow_paths.count; i++) {
        add_option(&words, "--allow-path", o->allow_paths.items[i]);
    }
    add_flag(&words, "--", o->script_args.count > 0);
    add_all(&words, &o->script_args);
    return words;
}

const char *rft_run_options_continue(const rft_cli *cli, const rft_run_options *o, const char *output,
                                     rft_arena *arena) {
    rft_run_options again = *o;
    rft_str line = RFT_STR_INIT;
    again.output = output;
    again.fresh = false;
    if (again.events && rft_text_starts(again.events, "/dev/fd/")) {
        again.events = NULL; /* a descriptor of this process alone */
    }
    rft_words words = rft_run_options_words(&again, arena);
    rft_command_add_word(&line, cli->invoked_as);
    rft_str_add_char(&line, ' ');
    rft_command_add_words(&line, words.items, words.count);
    const char *kept = rft_arena_strdup(arena, rft_str_get(&line));
    rft_str_clear(&line);
    return kept;
}
