/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_sbatch.h"

#include "base/fs.h"
#include "base/str.h"
#include "cli/command_text.h"
#include "cli/run_ahead.h"
#include "cli/run_devices.h"
#include "run/plan/shard.h"
#include "store/store.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

/* What --sbatch says: "nodes=4,gpus=8,time=2:00:00,partition=gpu". */
typedef struct cluster {
    long nodes, gpus; /* gpus: of a node, a shard each; 0: jobs ask for none, and a node has one shard */
    long cpus;        /* of a job; 0: as the cluster has it */
    const char *time, *partition, *account, *constraint;
} cluster;

static int read_number(long *out, const char *key, const char *text, long least, rft_err *err) {
    char *end = NULL;
    *out = strtol(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || *out < least || *out > RFT_SHARDS_MOST) {
        rft_err_set(err, RFT_E_USAGE, "--sbatch: %s takes a number from %ld to %d, not \"%s\"", key, least,
                    RFT_SHARDS_MOST, text);
        return RFT_E_USAGE;
    }
    return RFT_OK;
}

/* A word of Slurm's in a comment line: nothing that ends the line. */
static bool is_plain(const char *text) {
    for (const char *c = text; *c; c++) {
        if (!isalnum((unsigned char)*c) && !strchr("_-.:,&|*[]@", *c)) {
            return false;
        }
    }
    return *text != '\0';
}

#define DAY_S 86400L
#define TIME_LEAST_S 300L /* SIGTERM comes two minutes before the end, and Slurm may be a minute early */

static bool take_number(const char **at, long *out) {
    const size_t digits = strspn(*at, "0123456789");
    *out = digits > 0 && digits <= 6 ? strtol(*at, NULL, 10) : -1;
    *at += digits;
    return *out >= 0;
}

/* Seconds of a text as sbatch takes it: M, M:S, H:M:S, D-H, D-H:M, D-H:M:S. -1: none of these. */
static long time_seconds(const char *text) {
    const long units[2][3] = {{60, 1, 0}, {3600, 60, 1}}; /* without days and hours, and with */
    const bool dated = strchr(text, '-') != NULL;
    long days = 0, fields[3] = {0}, sum = 0;
    size_t count = 0;
    const char *at = text;
    if (dated && (!take_number(&at, &days) || *at++ != '-')) {
        return -1;
    }
    for (; count == 0 || *at == ':'; count++) {
        at += count > 0;
        if (count == 3 || !take_number(&at, &fields[count])) {
            return -1;
        }
    }
    for (size_t i = 0; i < count; i++) {
        sum += fields[i] * units[dated || count == 3][i];
    }
    return *at ? -1 : sum + days * DAY_S;
}

static int check_time(const char *text, rft_err *err) {
    const long seconds = time_seconds(text);
    if (seconds < 0 && strcasecmp(text, "UNLIMITED") != 0 && strcasecmp(text, "INFINITE") != 0) {
        rft_err_set(err, RFT_E_USAGE, "--sbatch: time takes M, M:S, H:M:S, D-H, D-H:M or D-H:M:S, not \"%s\"", text);
        return rft_err_remedy(err, "time=90 is 90 minutes, time=2:00:00 two hours, time=1-12 a day and a half");
    }
    if (seconds > 0 && seconds < TIME_LEAST_S) { /* 0: no limit */
        rft_err_set(err, RFT_E_USAGE, "--sbatch: time=%s is over before a job has measured anything", text);
        return rft_err_remedy(err, "time=5 at least: SIGTERM comes two to three minutes before the end");
    }
    return RFT_OK;
}

static int read_item(cluster *out, const char *key, const char *text, rft_err *err) {
    const struct {
        const char *key, **text;
    } texts[] = {{"time", &out->time},
                 {"partition", &out->partition},
                 {"account", &out->account},
                 {"constraint", &out->constraint}};
    if (strcmp(key, "nodes") == 0) {
        return read_number(&out->nodes, key, text, 1, err);
    }
    if (strcmp(key, "gpus") == 0) {
        return read_number(&out->gpus, key, text, 0, err);
    }
    if (strcmp(key, "cpus") == 0) {
        return read_number(&out->cpus, key, text, 1, err);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(key, texts[i].key) == 0 && is_plain(text)) {
            *texts[i].text = text;
            return texts[i].text == &out->time ? check_time(text, err) : RFT_OK;
        }
    }
    rft_err_set(err, RFT_E_USAGE, "--sbatch does not understand \"%s=%s\"", key, text);
    return rft_err_remedy(err,
                          "--sbatch nodes=4,gpus=8,cpus=16,time=2:00:00,partition=NAME,account=NAME,constraint=NAME");
}

static bool is_key(const char *text, size_t length) {
    static const char *const keys[] = {"nodes", "gpus", "cpus", "time", "partition", "account", "constraint"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strlen(keys[i]) == length && strncmp(text, keys[i], length) == 0) {
            return true;
        }
    }
    return false;
}

/* Up to the comma before the next key: "partition=a,b" is one. */
static size_t item_length(const char *text) {
    size_t length = strcspn(text, ",");
    while (text[length]) {
        const char *next = text + length + 1;
        const size_t more = strcspn(next, ",");
        if (*next == '\0' || memchr(next, '=', more) || is_key(next, more)) {
            break;
        }
        length += 1 + more;
    }
    return length;
}

static int read_cluster(cluster *out, const char *text, rft_arena *arena, rft_err *err) {
    *out = (cluster){.nodes = 1, .gpus = 1};
    int rc = RFT_OK;
    for (const char *at = text; *at && rc == RFT_OK;) {
        const size_t length = item_length(at);
        char *item = rft_arena_strndup(arena, at, length);
        char *equals = strchr(item, '=');
        if (equals) {
            *equals = '\0';
        }
        rc = read_item(out, item, equals ? equals + 1 : "", err);
        at += length + (at[length] == ',');
    }
    const long shards = out->nodes * (out->gpus ? out->gpus : 1);
    if (rc == RFT_OK && shards > RFT_SHARDS_MOST) {
        rc = rft_err_set(err, RFT_E_USAGE, "--sbatch: %ld nodes of %ld GPUs are more than %d shards", out->nodes,
                         out->gpus, RFT_SHARDS_MOST);
    }
    return rc;
}

/* Indices of an array stay under MaxArraySize, which a cluster's administrator sets. */
#define USUAL_ARRAY 1001

static void tell_array(const rft_cli *cli, const cluster *c) {
    const long shards = c->nodes * (c->gpus ? c->gpus : 1);
    if (shards >= USUAL_ARRAY) {
        rft_log_warn(&cli->log,
                     "--sbatch: an array of %ld shards needs a MaxArraySize of %ld, and Slurm's default is %d\n"
                     "  remedy: see `scontrol show config`; have it raised, or ask for fewer nodes or gpus",
                     shards, shards + 1, USUAL_ARRAY);
    }
}

/* ---- the script ---- */

static void add_directives(rft_str *out, const cluster *c, const char *name, const char *log) {
    const struct {
        const char *option, *text;
    } texts[] = {
        {"time", c->time}, {"partition", c->partition}, {"account", c->account}, {"constraint", c->constraint}};
    rft_str_addf(out, "#!/bin/sh\n#SBATCH --job-name=%s\n#SBATCH --nodes=1 --ntasks=1\n", name);
    if (c->gpus > 0) {
        rft_str_add(out, "#SBATCH --gpus=1\n");
    }
    if (c->cpus > 0) {
        rft_str_addf(out, "#SBATCH --cpus-per-task=%ld\n", c->cpus);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].text) {
            rft_str_addf(out, "#SBATCH --%s=%s\n", texts[i].option, texts[i].text);
        }
    }
    /* A job that is taken back, or whose time ends, gets two minutes: a point ends cleanly, and the file goes on. */
    rft_str_addf(out, "#SBATCH --requeue --open-mode=append --signal=B:TERM@120\n#SBATCH --output=%s\n", log);
}

/* A line of its own would end the text that the script hands to sbatch, and what follows would be run. */
static int check_lines(const rft_cli *cli, const rft_run_options *o, rft_arena *arena, rft_err *err) {
    const rft_run_change none = {NULL, NULL};
    const rft_words words = rft_run_options_words(o, &none, arena);
    char *folder = rft_fs_absolute(".");
    const char *broken = strchr(folder, '\n')         ? "the folder you are in"
                         : strchr(cli->program, '\n') ? "rooftune"
                                                      : NULL;
    for (size_t i = 0; i < words.count && !broken; i++) {
        broken = strchr(words.items[i], '\n') ? words.items[i] : NULL;
    }
    free(folder);
    if (!broken) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_USAGE, "--sbatch: a line break in %.200s", broken);
    return rft_err_remedy(err, "a job's text has a command on one line: rename what holds the line break");
}

static void add_command(rft_str *out, const rft_cli *cli, const rft_words *words) {
    rft_command_add_word(out, cli->program);
    rft_str_add_char(out, ' ');
    rft_command_add_words(out, words->items, words->count);
    rft_str_add_char(out, '\n');
}

/* The folder of cubins on the node's own disk. */
#define NODE_CACHE "export RFT_CACHE=\"${RFT_CACHE:-${SLURM_TMPDIR:-${TMPDIR:-/tmp}}/rooftune-$(id -un)}\"\n"

/* Words that the job's shell puts its own in the place of. */
#define SHARD_NUMBER "RFT_SHARD_OF_THIS_JOB"
#define SHARD_FILE "RFT_FILE_OF_THIS_JOB"

/* Without the job behind them, shards would take their hours and no one would put them together. */
#define REFUSED                                                                                                        \
    "    scancel \"${shards%%;*}\" && are=cancelled || are=\"not cancelled: run scancel ${shards%%;*}\"\n"             \
    "    echo \"the job behind the shards was refused; they (job ${shards%%;*}) are $are\" >&2\n"                      \
    "    exit 1\n"

/* Puts the shards together, whose files are the shell's words. */
static void add_merge(rft_str *out, const rft_cli *cli, const char *run, const char *stem, long shards,
                      rft_arena *arena) {
    rft_str run_word = RFT_STR_INIT, part_word = RFT_STR_INIT, program = RFT_STR_INIT;
    rft_command_add_word(&run_word, run);
    rft_command_add_word(&program, cli->program);
    /* A job that is ended while it imports leaves no run that passes for all of them. */
    rft_command_add_word(&part_word, rft_arena_printf(arena, "%s.part", run));
    /* Shards of a second submission may have measured since the run was put together. What a killed writer left beside
     * a file that another takes the place of would be taken for that one's. */
    rft_str_addf(out,
                 "new=yes\nif [ -s %s ]; then\n"
                 "    new=$(find . ! -name . -prune -name '%s-*-of-%ld.db*' ! -name '*-lock' -newer %s)\n"
                 "    %s show %s 2>/dev/null | grep -q '^not finished' || new=\n"
                 "    [ -z \"$new\" ] || set -- \"$@\" %s\nfi\n",
                 rft_str_get(&run_word), stem, shards, rft_str_get(&run_word), rft_str_get(&program),
                 rft_str_get(&run_word), rft_str_get(&run_word));
    rft_str_addf(out,
                 "if [ -n \"$new\" ] && [ $# -gt 0 ]; then\n    rm -f %s %s-wal %s-shm\n"
                 "    if %s import --skip-damaged \"$@\" -o %s; then\n        rm -f %s-wal %s-shm\n        mv %s %s\n"
                 "    else\n        status=$?\n        [ -s %s ] || exit $status\n    fi\nfi\nexec ",
                 rft_str_get(&part_word), rft_str_get(&part_word), rft_str_get(&part_word), rft_str_get(&program),
                 rft_str_get(&part_word), rft_str_get(&run_word), rft_str_get(&run_word), rft_str_get(&part_word),
                 rft_str_get(&run_word), rft_str_get(&run_word));
    rft_str_clear(&program);
    rft_str_clear(&part_word);
    rft_str_clear(&run_word);
}

static void add_script(rft_str *out, const rft_cli *cli, const rft_run_options *o, const cluster *c, rft_arena *arena) {
    const long shards = c->nodes * (c->gpus ? c->gpus : 1);
    /* Two runs of one sweep in one folder have shards of their own. */
    char *stem = rft_fs_stem(o->output ? o->output : o->files.items[0]), *folder = rft_fs_absolute(".");
    for (char *letter = stem; *letter; letter++) {
        *letter = isalnum((unsigned char)*letter) || strchr("_.", *letter) ? *letter : '-';
    }
    *stem = *stem == '-' ? '_' : *stem; /* its files are no options */
    const char *run = o->output ? o->output : rft_arena_printf(arena, "%s.db", stem);
    const char *of_shard = rft_arena_printf(arena, "%s-$k-of-%ld.db", stem, shards);
    const rft_run_change shard[] = {
        {"sbatch", NULL}, {"submit", NULL}, {"shard", SHARD_NUMBER}, {"output", SHARD_FILE}, {"no-report", "1"},
        {"report", NULL}, {"events", NULL}, {"package", NULL},       {"sanitize", NULL},     {NULL, NULL}};
    const rft_run_change whole[] = {{"sbatch", NULL}, {"submit", NULL}, {"output", run}, {NULL, NULL}};
    const rft_words shard_words = rft_run_options_words(o, shard, arena);
    const rft_words whole_words = rft_run_options_words(o, whole, arena);
    rft_str line = RFT_STR_INIT, place = RFT_STR_INIT;
    add_command(&line, cli, &shard_words);
    rft_command_add_word(&place, folder);

    rft_str_addf(
        out,
        "#!/bin/sh\n# Submits %ld shards of %s and, behind them, the job that puts them together (docs/scale.md).\n"
        "set -eu\nshards=$(sbatch --parsable <<'RFT_END'\n",
        shards, stem);
    add_directives(out, c, rft_arena_printf(arena, "rooftune-%s", stem), rft_arena_printf(arena, "%s-%%a.log", stem));
    rft_str_addf(out, "#SBATCH --array=1-%ld\ncd %s\n" NODE_CACHE "k=$SLURM_ARRAY_TASK_ID\nexec ", shards,
                 rft_str_get(&place));
    for (const char *at = rft_str_get(&line); *at; at++) {
        if (rft_text_starts(at, SHARD_NUMBER)) {
            rft_str_addf(out, "\"$k/%ld\"", shards);
            at += strlen(SHARD_NUMBER) - 1;
        } else if (rft_text_starts(at, SHARD_FILE)) {
            rft_str_addf(out, "\"%s\"", of_shard);
            at += strlen(SHARD_FILE) - 1;
        } else {
            rft_str_add_char(out, *at);
        }
    }
    rft_str_add(out, "RFT_END\n)\nwhole=$(sbatch --parsable --dependency=\"afterany:${shards%%;*}\" <<'RFT_END'\n");
    add_directives(out, c, rft_arena_printf(arena, "rooftune-%s-all", stem),
                   rft_arena_printf(arena, "%s-all.log", stem));
    rft_str_addf(out, "set -eu\ncd %s\n" NODE_CACHE "set --\nk=1\nwhile [ $k -le %ld ]; do\n", rft_str_get(&place),
                 shards);
    rft_str_addf(
        out,
        "    if [ -s \"%s\" ]; then set -- \"$@\" \"%s\"; else echo \"no shard $k\" >&2; fi\n    k=$((k + 1))\ndone\n",
        of_shard, of_shard);
    add_merge(out, cli, run, stem, shards, arena);
    add_command(out, cli, &whole_words);
    rft_str_add(out,
                "RFT_END\n) || {\n" REFUSED "}\necho \"shards: job ${shards%%;*}; behind them: job ${whole%%;*}\"\n");
    rft_str_clear(&place);
    rft_str_clear(&line);
    free(folder);
    free(stem);
}

static int submit(const char *script, rft_err *err) {
    FILE *shell = popen("/bin/sh", "w");
    if (!shell) {
        return rft_err_set(err, RFT_E_IO, "no shell could be started: %s", strerror(errno));
    }
    const bool written = fputs(script, shell) >= 0;
    const int status = pclose(shell);
    if (!written || status != 0) {
        rft_err_set(err, RFT_E_IO, "the jobs could not be submitted (status %d); sbatch's message is above",
                    WIFEXITED(status) ? WEXITSTATUS(status) : -1);
        return rft_err_remedy(err, "leave out --submit, look at the script, and pass it to sh");
    }
    return RFT_OK;
}

static int check_command(const rft_run_options *o, rft_err *err) {
    if (o->shard || o->dry_run || o->mixes.count > 0 || o->files.count != 1) {
        rft_err_set(err, RFT_E_USAGE, "--sbatch is of one sweep, without --shard, --dry-run and --mix");
        return rft_err_remedy(err, "rooftune run SWEEP.lua --sbatch nodes=4,gpus=8 | sh");
    }
    if (o->split || o->together || rft_run_devices_several(o->device)) {
        rft_err_set(err, RFT_E_USAGE, "--sbatch has a job for each card, and -d names several");
        return rft_err_remedy(err, "leave out -d, --split and --together: a job takes the card that Slurm gives it");
    }
    if (o->fresh) { /* a job that is requeued, and the one that goes on with the whole, would begin anew */
        rft_err_set(err, RFT_E_USAGE, "--sbatch goes on with the files that are there, and --fresh begins anew");
        return rft_err_remedy(err, "leave out --fresh, and remove the files of the run before (-o, and its shards)");
    }
    return RFT_OK;
}

/* What jobs would find out after their wait: a GPU that is not theirs, a file that cannot be. */
static int check_jobs(const rft_run_options *o, const cluster *c, rft_err *err) {
    const bool numbered = o->device && !rft_text_starts(o->device, "replay:") && strcmp(o->device, "0") != 0;
    if (c->gpus > 0 && numbered) {
        rft_err_set(err, RFT_E_USAGE, "--sbatch: a job has one GPU, 0, and -d names %s", o->device);
        return rft_err_remedy(err, "leave out -d, or have Slurm give none: gpus=0");
    }
    int rc = rft_run_ahead_folder(o->output, err);
    if (rc == RFT_OK && o->output && rft_fs_exists(o->output) && !rft_store_is_database(o->output)) {
        rft_err_set(err, RFT_E_STORE, "-o: %s is there and is no run file", o->output);
        rc = rft_err_remedy(err, "name another file with -o");
    }
    return rc;
}

int rft_run_sbatch(rft_cli *cli, const rft_run_options *o, rft_err *err) {
    cluster c;
    rft_arena *arena = rft_arena_new();
    rft_str script = RFT_STR_INIT;
    int rc = check_command(o, err);
    rc = rc ? rc : rft_run_ahead_check(cli, o, arena, err);
    rc = rc ? rc : read_cluster(&c, o->sbatch, arena, err);
    rc = rc ? rc : check_lines(cli, o, arena, err);
    rc = rc ? rc : check_jobs(o, &c, err);
    if (rc == RFT_OK) {
        tell_array(cli, &c);
        add_script(&script, cli, o, &c, arena);
        if (o->submit) {
            rc = submit(rft_str_get(&script), err);
        } else {
            fputs(rft_str_get(&script), cli->out);
        }
    }
    rft_str_clear(&script);
    rft_arena_free(arena);
    return rc;
}
