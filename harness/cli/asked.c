/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/asked.h"

#include "base/str.h"
#include "search/strategy.h"

#include <string.h>

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

rft_opt rft_asked_opt(rft_asked *asked, const char *option, rft_arena *arena) {
    size_t i = 0;
    while (!rft_text_equal(rft_sweep_settings[i].option, option)) {
        i++;
    }
    const rft_setting *s = &rft_sweep_settings[i];
    const char *help = s->help ? s->help : strategy_help(arena);
    return (rft_opt){s->option, s->letter, s->argument, help, NULL, &asked->texts[i], NULL};
}

static int check_strategy(const char *name, rft_err *err) {
    const char *names[16];
    rft_str known = RFT_STR_INIT;
    size_t count = 0;
    for (const rft_strategy_entry *entry = rft_strategy_list(); entry->name && count < 16; entry++) {
        if (strcmp(entry->name, name) == 0) {
            rft_str_clear(&known);
            return RFT_OK;
        }
        rft_str_addf(&known, "%s%s", count ? ", " : "", entry->name);
        names[count++] = entry->name;
    }
    const char *near = rft_text_nearest(name, names, count);
    rft_err_set(err, RFT_E_USAGE, "no search strategy \"%s\"%s%s%s", name, near ? ", did you mean \"" : "",
                near ? near : "", near ? "\"?" : "");
    rft_err_remedy(err, "known: %s (docs/search.md)", rft_str_get(&known));
    rft_str_clear(&known);
    return RFT_E_USAGE;
}

/* Everything that was given goes into `sweep`. */
static int put_in(const rft_asked *asked, rft_sweep *sweep, rft_err *err) {
    for (size_t i = 0; i < RFT_SWEEP_SETTINGS; i++) {
        const rft_setting *setting = &rft_sweep_settings[i];
        if (asked->texts[i] && rft_setting_read(setting, sweep, asked->texts[i], err) != RFT_OK) {
            return rft_err_context(err, "--%s", setting->option);
        }
        if (asked->texts[i] && setting->offset == offsetof(rft_sweep, search.seed)) {
            sweep->search.seed_given = true;
        }
    }
    return RFT_OK;
}

int rft_asked_check(const rft_asked *asked, rft_err *err) {
    rft_sweep tried = {0};
    int rc = put_in(asked, &tried, err);
    return rc == RFT_OK && tried.search.strategy ? check_strategy(tried.search.strategy, err) : rc;
}

int rft_asked_check_script(const rft_script *script, const char *path, rft_err *err) {
    for (size_t i = 0; i < rft_script_sweep_count(script); i++) {
        const rft_sweep *sweep = rft_script_sweep(script, i);
        if (sweep->search.strategy && check_strategy(sweep->search.strategy, err) != RFT_OK) {
            err->code = RFT_E_SCRIPT;
            rft_err_place(err, "%s", path);
            return rft_err_context(err, "sweep %s: search.strategy", sweep->name);
        }
    }
    return RFT_OK;
}

const rft_sweep *rft_asked_sweep(const rft_asked *asked, const rft_sweep *sweep, size_t sweep_count, rft_arena *arena) {
    rft_sweep *copy = rft_arena_memdup(arena, sweep, sizeof *sweep), all = {0};
    rft_err ignored = RFT_ERR_INIT; /* it was read before */
    (void)put_in(asked, &all, &ignored);
    (void)put_in(asked, copy, &ignored);
    /* What is given for all sweeps together is each one's share. */
    rft_search_opts *search = &copy->search;
    search->budget_s = all.search.budget_s > 0 ? all.search.budget_s / (double)sweep_count : search->budget_s;
    search->budget_gpu_s =
        all.search.budget_gpu_s > 0 ? all.search.budget_gpu_s / (double)sweep_count : search->budget_gpu_s;
    return copy;
}

static int began_otherwise(const rft_sweep *stored, const char *option, const char *value, rft_err *err) {
    rft_err_set(err, RFT_E_STORE, "the run of sweep %s was begun with %s %s", stored->name, option, value);
    return rft_err_remedy(err, "continue it with %s %s, name another file with -o, or start anew with --fresh", option,
                          value);
}

int rft_asked_continue(rft_sweep *stored, const rft_sweep *asked, rft_err *err) {
    const char *strategy = stored->search.strategy;
    rft_cache_mode cache = stored->measure.cache; /* of a bare space: the recording's */
    rft_timing_mode mode = stored->measure.mode;  /* likewise */
    if (strcmp(strategy, asked->search.strategy) != 0) {
        return began_otherwise(stored, "--strategy", strategy, err);
    }
    if (stored->search.seed != asked->search.seed) {
        char seed[32];
        rft_text_format(seed, sizeof seed, "%llu", (unsigned long long)stored->search.seed);
        return began_otherwise(stored, "--seed", seed, err);
    }
    if (stored->search.objective != asked->search.objective) {
        return began_otherwise(stored, "--objective", rft_objective_name(stored->search.objective), err);
    }
    stored->search = asked->search;
    stored->search.strategy = strategy;
    stored->measure = asked->measure;
    stored->measure.cache = cache;
    stored->measure.mode = mode;
    return RFT_OK;
}
