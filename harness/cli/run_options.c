/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_options.h"

#include "base/fs.h"
#include "cli/command_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the table ---- */

static const char *const ceilings_names[] = {"kept", "again", NULL};
static const char *const sanitize_names[] = {"none", "best", NULL};
static const char *const power_names[] = {"none", "auto", "largest", "best", "all", NULL}; /* as rft_power_choice */

#define OWN(group, kind, field, choices) group, NULL, RFT_SETTING_##kind, offsetof(rft_run_options, field), choices

/* What is asked of a run and not of its sweeps. Parsing, --help and the words that ask for the same follow from it and
 * from rft_sweep_settings. */
static const rft_setting own[] = {
    {OWN("device", TEXT, device, NULL), "device", 'd', "DEVICES",
     "0, or 0,1, or all, or replay:FILE; replay: where the sweep is one"},
    {OWN("device", FLAG, split, NULL), "split", 0, NULL,
     "divide one run among the devices, into one file (docs/scale.md)"},
    {OWN("device", FLAG, wait, NULL), "wait", 0, NULL, "where another rooftune uses the device, wait until it is free"},
    {OWN("device", TEXT, sbatch, NULL), "sbatch", 0, "nodes=N,...",
     "print a Slurm script: shards, then the whole (docs/scale.md)"},
    {OWN("device", FLAG, submit, NULL), "submit", 0, NULL, "with --sbatch: submit the jobs, too"},
    {OWN("files", TEXT, output, NULL), "output", 'o', "RUN.db",
     "the run file (default SWEEP-GPU-DATE.db); of several devices a folder"},
    {OWN("files", TEXT, report, NULL), "report", 0, "OUT.pdf",
     "the report, or .md, .html (default: beside the run file)"},
    {OWN("files", FLAG, no_report, NULL), "no-report", 0, NULL, "measure only"},
    {OWN("files", TEXT, package, NULL), "package", 0, "FILE.tar.gz",
     "all of it in one file with checksums (docs/mix.md)"},
    {OWN("files", TEXT, events, NULL), "events", 0, "FILE|-",
     "what happens as JSON Lines for other programs (docs/events.md)"},
    {OWN("files", FLAG, fresh, NULL), "fresh", 0, NULL, "start anew where a run file exists"},
    {OWN("files", FLAG, dry_run, NULL), "dry-run", 0, NULL, "print the plan and stop; a GPU is only asked what it is"},
    {OWN("files", TEXT, arch, NULL), "arch", 0, "sm_90a", "with --dry-run: plan for this architecture"},
    {OWN("search", TEXT, shard, NULL), "shard", 0, "K/N",
     "part K of N, by hash; `import PART... -o RUN.db` puts them together"},
    {OWN("search", FLAG, exec.no_prune, NULL), "no-prune", 0, NULL,
     "also measure configurations that the hardware's limits rule out"},
    {OWN("search", FLAG, exec.in_order, NULL), "in-order", 0, NULL,
     "measure in the order proposed, even where others are compiled sooner"},
    {OWN("measure", CHOICE, ceilings, ceilings_names), "ceilings", 0, "kept|again",
     "ceilings of the last day on this card, or measured anew"},
    {OWN("measure", CHOICE, exec.power, power_names), "energy", 0, "WHICH",
     "energy of: none, largest, best, all, auto (default: largest if cheap)"},
    {OWN("measure", SECONDS, exec.soak_s, NULL), "soak", 0, "60s",
     "keep the best of each sweep's largest problem under load so long"},
    {OWN("measure", FLAG, together, NULL), "together", 0, NULL, "with several devices: all begin their soaks at once"},
    {OWN("measure", TEXT, counters, NULL), "counters", 0, "SET",
     "hardware counters at the end: default (brief), none, all, NAME,..."},
    {OWN("measure", CHOICE, sanitize, sanitize_names), "sanitize", 0, "none|best",
     "then compute-sanitizer over each sweep's best (default: none)"},
};

enum { OWN_COUNT = sizeof own / sizeof *own, OPTION_COUNT = OWN_COUNT + RFT_SWEEP_SETTINGS };

static const char *const groups[] = {"device", "files", "search", "measure"};
enum { GROUP_COUNT = sizeof groups / sizeof *groups, REPEATED_COUNT = 5 };

static const rft_setting *option_at(size_t i) {
    return i < OWN_COUNT ? &own[i] : &rft_sweep_settings[i - OWN_COUNT];
}

static const char *given_at(const rft_run_options *o, size_t i) {
    return i < OWN_COUNT ? o->given[i] : o->asked.texts[i - OWN_COUNT];
}

const char *const *rft_run_options_choices(const char *option) {
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (rft_text_equal(option_at(i)->option, option)) {
            return option_at(i)->choices;
        }
    }
    return NULL;
}

/* ---- reading ---- */

/* `what`: "report". */
static int check_place(const char *path, const char *what, rft_err *err) {
    if (!path) {
        return RFT_OK;
    }
    char *folder = rft_fs_folder(path);
    bool is_folder = rft_fs_is_folder(path);
    bool there = !is_folder && (access(path, W_OK) == 0 || access(folder, W_OK) == 0);
    int cause = is_folder ? EISDIR : errno; /* of the folder */
    free(folder);
    if (there) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_IO, "the %s cannot be written to %s: %s", what, path, strerror(cause));
    return rft_err_remedy(err, "--%s takes a file in a folder that exists and that you may write to", what);
}

#define SOAK_LEAST_S 3.0 /* its last third counts, and a second is the least that does */

static int read_own(rft_run_options *o, rft_err *err) {
    for (size_t i = 0; i < OWN_COUNT; i++) {
        if (o->given[i] && rft_setting_read(&own[i], o, o->given[i], err) != RFT_OK) {
            return rft_err_context(err, "--%s", own[i].option);
        }
    }
    return RFT_OK;
}

/* "K/N", and of a part of --split "K/N@BOARD". */
static int read_shard(rft_run_options *o, rft_arena *arena, rft_err *err) {
    const char *at = strchr(o->shard, '@');
    if (at) {
        o->board = at + 1;
        o->shard = rft_arena_strndup(arena, o->shard, (size_t)(at - o->shard));
    }
    return rft_shard_parse(&o->exec.shard, o->shard, err);
}

/* "0", and of one of several that are loaded together "0@/dev/fd/7:1", the board and which of them it is. */
static void read_device(rft_run_options *o, rft_arena *arena) {
    char *at = o->together && o->device ? strstr(o->device, "@/dev/fd/") : NULL;
    const char *colon = at ? strrchr(at, ':') : NULL;
    if (colon) {
        o->meeting = rft_arena_strndup(arena, at + 1, (size_t)(colon - at - 1));
        o->meeting_card = (unsigned)strtoul(colon + 1, NULL, 10);
        o->device = rft_arena_strndup(arena, o->device, (size_t)(at - o->device));
    }
    for (size_t i = 0; colon && i < OWN_COUNT; i++) {
        o->given[i] = rft_text_equal(own[i].option, "device") ? o->device : o->given[i];
    }
}

static int check_together(const rft_run_options *o, rft_err *err) {
    if (!o->together || (o->exec.soak_s > 0 && !o->split)) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_USAGE,
                o->split ? "--split is one run, and --together is of runs side by side"
                         : "--together is of soaks that begin at once");
    return rft_err_remedy(err, o->split ? "leave out one of them" : "-d all --soak 10m --together");
}

/* What the words mean, now that all are known. */
static int understand(rft_run_options *o, rft_arena *arena, rft_err *err) {
    if (o->files.count == 0 && o->mixes.count == 0) {
        rft_err_set(err, RFT_E_USAGE, "no sweep given");
        return rft_err_remedy(err, "name a script: rooftune run sweeps/quick.lua");
    }
    o->exec.power = o->mixes.count ? RFT_POWER_BEST : RFT_POWER_AUTO; /* a mix needs that of all its problems */
    int rc = read_own(o, err);
    rc = rc ? rc : rft_run_part_check(&o->part, err);
    rc = rc ? rc : rft_asked_check(&o->asked, err);
    rc = rc || !o->shard ? rc : read_shard(o, arena, err);
    if (rc == RFT_OK && o->submit && !o->sbatch) {
        rft_err_set(err, RFT_E_USAGE, "--submit hands the jobs of --sbatch to Slurm, and there is no --sbatch");
        rc = rft_err_remedy(err, "--sbatch nodes=4,gpus=8 --submit");
    }
    rc = rc ? rc : check_together(o, err);
    read_device(o, arena);
    if (rc == RFT_OK && o->exec.soak_s > 0 && o->exec.soak_s < SOAK_LEAST_S) {
        rft_err_set(err, RFT_E_USAGE, "--soak %g s is too short: its last third is what counts", o->exec.soak_s);
        rc = rft_err_remedy(err, "a soak takes 3s at least, and a minute until a card is warm");
    }
    if (rc == RFT_OK && o->arch && (!o->dry_run || o->device)) {
        rft_err_set(err, RFT_E_USAGE, "--arch stands for the device of --dry-run alone");
        rc = rft_err_remedy(err,
                            "a run measures a device: leave out --arch; a plan: --dry-run --arch sm_90a, without -d");
    }
    rc = rc ? rc : rft_counted_wish_parse(&o->exec.counters, o->counters, arena, err);
    rc = rc ? rc : check_place(o->no_report ? NULL : o->report, "report", err);
    return rc ? rc : check_place(o->package, "package", err);
}

/* ---- parsing ---- */

/* Those that may be given several times. Returns how many. */
static size_t list_repeated(rft_run_options *o, const char *group, rft_opt *opts) {
    if (strcmp(group, "device") == 0) {
        opts[0] = (rft_opt)RFT_OPT_ALLOW_PATH(&o->allow_paths);
        return 1;
    }
    if (strcmp(group, "files") == 0) {
        opts[0] = (rft_opt){"mix", 0,    "FILE",   "run the sweeps of a workload, its problems alone (docs/mix.md)",
                            NULL,  NULL, &o->mixes};
        return 1;
    }
    if (strcmp(group, "search") != 0) {
        return 0;
    }
    opts[0] = (rft_opt){"at", 0, "AXIS=VALUE", "only problems with this value (repeat)", NULL, NULL, &o->part.at};
    opts[1] = (rft_opt){"variant", 0, "NAME", "only this variant (repeat)", NULL, NULL, &o->part.variants};
    opts[2] =
        (rft_opt){"set", 0, "PARAM=VALUE", "only configurations with this value (repeat)", NULL, NULL, &o->part.set};
    return 3;
}

/* One option a row, under the headings of their groups. Returns how many. */
static size_t list_options(rft_run_options *o, rft_opt *opts, rft_arena *arena) {
    size_t count = 0;
    for (size_t g = 0; g < GROUP_COUNT; g++) {
        opts[count++] = (rft_opt){.help = groups[g]};
        for (size_t i = 0; i < OPTION_COUNT; i++) {
            const rft_setting *s = option_at(i);
            if (s->option && strcmp(s->group, groups[g]) == 0) {
                opts[count++] = i < OWN_COUNT
                                    ? (rft_opt){s->option, s->letter, s->argument, s->help, NULL, &o->given[i], NULL}
                                    : rft_asked_opt(&o->asked, s->option, arena);
            }
        }
        count += list_repeated(o, groups[g], opts + count);
    }
    return count;
}

int rft_run_options_parse(rft_cli *cli, rft_run_options *out, int argc, char **argv, rft_arena *arena, bool *helped,
                          rft_err *err) {
    rft_opt opts[OPTION_COUNT + GROUP_COUNT + REPEATED_COUNT];
    out->given = rft_arena_calloc(arena, OWN_COUNT, sizeof *out->given);
    size_t count = list_options(out, opts, arena);
    int rc = rft_opt_parse(cli, opts, count, argc, argv, arena, &out->files, &out->script_args, helped, err);
    rc = rc ? rc : rft_opt_allow_paths(cli, &out->allow_paths, err);
    return rc != RFT_OK || *helped ? rc : understand(out, arena, err);
}

/* ---- the same again ---- */

static void add_word(rft_words *words, const char *word) {
    words->items[words->count++] = word;
}

static void add_all(rft_words *words, const rft_words *more) {
    for (size_t i = 0; i < more->count; i++) {
        add_word(words, more->items[i]);
    }
}

rft_words rft_run_options_words(const rft_run_options *o, const rft_run_change *changes, rft_arena *arena) {
    rft_words words = {0};
    const struct {
        const char *option;
        const rft_words *given;
    } repeated[REPEATED_COUNT] = {{"--at", &o->part.at},
                                  {"--variant", &o->part.variants},
                                  {"--set", &o->part.set},
                                  {"--allow-path", &o->allow_paths},
                                  {"--mix", &o->mixes}};
    size_t lists = o->files.count + o->script_args.count;
    for (size_t r = 0; r < REPEATED_COUNT; r++) {
        lists += 2 * repeated[r].given->count;
    }
    words.items = rft_arena_calloc(arena, 2 + 2 * OPTION_COUNT + lists, sizeof *words.items);
    add_word(&words, "run");
    add_all(&words, &o->files);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const rft_setting *s = option_at(i);
        const char *text = given_at(o, i);
        for (const rft_run_change *change = changes; change->option; change++) {
            text = rft_text_equal(s->option, change->option) ? change->text : text;
        }
        if (text) {
            add_word(&words, s->letter ? rft_arena_printf(arena, "-%c", s->letter)
                                       : rft_arena_printf(arena, "--%s", s->option));
        }
        if (text && s->argument) {
            add_word(&words, text);
        }
    }
    for (size_t r = 0; r < REPEATED_COUNT; r++) {
        for (size_t i = 0; i < repeated[r].given->count; i++) {
            add_word(&words, repeated[r].option);
            add_word(&words, repeated[r].given->items[i]);
        }
    }
    if (o->script_args.count > 0) {
        add_word(&words, "--");
    }
    add_all(&words, &o->script_args);
    return words;
}

const char *rft_run_options_continue(const rft_cli *cli, const rft_run_options *o, const char *output,
                                     rft_arena *arena) {
    rft_str line = RFT_STR_INIT;
    bool own_events = o->events && rft_text_starts(o->events, "/dev/fd/"); /* a descriptor of this process alone */
    const rft_run_change changes[] = {
        {"output", output}, {"fresh", NULL}, {own_events ? "events" : NULL, NULL}, {NULL, NULL}};
    rft_words words = rft_run_options_words(o, changes, arena);
    rft_command_add_word(&line, cli->invoked_as);
    rft_str_add_char(&line, ' ');
    rft_command_add_words(&line, words.items, words.count);
    const char *kept = rft_arena_strdup(arena, rft_str_get(&line));
    rft_str_clear(&line);
    return kept;
}

int rft_run_options_tell_continue(const rft_cli *cli, const char *line, rft_err *err) {
    if (strlen(line) + sizeof "continue with: " <= sizeof err->remedy) {
        return rft_err_remedy(err, "continue with: %s", line);
    }
    fprintf(cli->talk, "%s\n", line);
    return rft_err_remedy(err, "the command above continues");
}
