/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/commands/judge.h"

#include "base/err.h"
#include "base/fs.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

static const double seconds_of_64kib = 5, seconds_of_scripts = 20, sanitizer_slower = 6, wall_limit_s = 60;
static const size_t least_bytes = (size_t)64 << 20, bytes_of_a_byte = 32, sanitizer_bytes = (size_t)64 << 20,
                    compiler_bytes = (size_t)400 << 20;
enum { SANITIZER_LARGER = 4, SANITIZER_STATUS = 99 };

double verdict_wall_limit_s(void) {
    return wall_limit_s;
}

size_t verdict_inflated_bytes(const char *path) {
    char block[65536];
    size_t all = 0;
    int got = 0;
    struct stat info;
    gzFile file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? gzopen(path, "rb") : NULL;
    while (file && all < (size_t)1 << 30 && (got = gzread(file, block, sizeof block)) > 0) {
        all += (size_t)got;
    }
    if (file) {
        gzclose(file);
    }
    return all;
}

static void complain(verdict *v, rft_arena *arena, const char *text, const char *detail) {
    if (v->count < VERDICT_MAX) {
        char *whole = rft_arena_printf(arena, "%s%s%.200s", text, *detail ? ": " : "", detail);
        for (char *at = whole; *at; at++) { /* one line of plain text */
            *at = (char)((unsigned char)*at < ' ' || (unsigned char)*at >= 0x7f ? '?' : *at);
        }
        v->texts[v->count++] = whole;
    }
}

/* ---- how it ended ---- */
static bool is_documented(int status) {
    static const int known[] = {0,
#define STATUS(name, exit_status, text) exit_status,
                                RFT_CODE_MAP(STATUS)
#undef STATUS
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i] == status) {
            return true;
        }
    }
    return false;
}

/* The first line of this program's own sources in a report, or the line of the undefined behaviour. */
static char *where_of_report(const char *text, rft_arena *arena) {
    const char *at = strstr(text, "runtime error:");
    if (at) {
        const char *begin = at;
        while (begin > text && begin[-1] != '\n') {
            begin--;
        }
        return rft_arena_strndup(arena, begin, strcspn(begin, "\n"));
    }
    const char *report = strstr(text, "Sanitizer");
    const char *frame = report ? strstr(report, " harness/") : NULL;
    const char *other = report ? strstr(report, " reports/") : NULL;
    frame = frame && (!other || frame < other) ? frame : other;
    return frame ? rft_arena_strndup(arena, frame + 1, strcspn(frame + 1, "\n"))
                 : rft_arena_strndup(arena, report ? report : "", report ? strcspn(report, "\n") : 0);
}

static void judge_end(verdict *v, const evidence *e, rft_arena *arena) {
    const execution *done = e->done;
    const char *command = e->means->command;
    const char *err = rft_str_get(&done->err);
    if (strstr(err, "ERROR: AddressSanitizer") || strstr(err, "runtime error:") || done->status == SANITIZER_STATUS) {
        complain(v, arena, "sanitizer", where_of_report(err, arena));
    } else if (done->hung) {
        complain(v, arena, "does not end", command);
    } else if (done->signal) {
        complain(v, arena, rft_arena_printf(arena, "signal %d", done->signal), command);
    } else if (!is_documented(done->status) || done->status == 70) {
        complain(v, arena, rft_arena_printf(arena, "status %d", done->status), command);
    }
    if (done->left_behind) {
        complain(v, arena, "processes left behind", command);
    }
}

/* NVRTC takes 75 MB where it is opened, also where nothing is compiled, NVIDIA's other libraries up to 300 MB. */
static bool loads_a_compiler(const char *command) {
    static const char *const names[] = {"run", "check", "point", "ceilings", "devices", "worker"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], command) == 0) {
            return true;
        }
    }
    return false;
}

static void judge_cost(verdict *v, const evidence *e, rft_arena *arena) {
    double per_size = (double)e->input_bytes / 65536;
    double seconds = (e->script_runs ? seconds_of_scripts : 0) + seconds_of_64kib * (per_size > 1 ? per_size : 1);
    seconds *= e->sanitized ? sanitizer_slower : 1.5;
    size_t bytes = least_bytes + bytes_of_a_byte * e->input_bytes;
    bytes = e->sanitized ? bytes * SANITIZER_LARGER + sanitizer_bytes : bytes;
    if (e->done->cpu_s > seconds) {
        complain(v, arena, "takes too long", e->means->command);
    }
    bytes += loads_a_compiler(e->means->command) ? compiler_bytes : 0;
    if (e->done->peak_bytes > bytes &&
        !e->script_runs) { /* a script's and a compiler's memory have limits of their own */
        complain(v, arena, "takes too much memory", e->means->command);
    }
}

/* ---- what it said ---- */
/* Size of the UTF-8 character at `at`, its code in *code; 0: none. */
static size_t character(const unsigned char *at, size_t left, unsigned *code) {
    size_t size = at[0] < 0x80                    ? 1
                  : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                  : (at[0] & 0xf0) == 0xe0        ? 3
                  : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                  : 0;
    if (size == 0 || size > left) {
        return 0;
    }
    *code = size == 1 ? at[0] : at[0] & (0x7fU >> size);
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (at[i] & 0x3fU);
    }
    bool wrong = (size == 3 && *code < 0x800) || (size == 4 && *code < 0x10000) || *code > 0x10ffff ||
                 (*code >= 0xd800 && *code < 0xe000);
    return wrong ? 0 : size;
}

static bool moves_text(unsigned code) {
    return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0) || code == 0x061c ||
           code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* What a terminal would act on, or take for noise; NULL: nothing. */
static const char *unsafe(const rft_str *text) {
    const unsigned char *data = (const unsigned char *)rft_str_get(text);
    size_t size = 0;
    unsigned code = 0;
    for (size_t at = 0; at < text->length; at += size) {
        size = character(data + at, text->length - at, &code);
        if (size == 0 || moves_text(code)) {
            return size ? "control characters" : "bytes that are no UTF-8";
        }
    }
    return NULL;
}

static bool is_plain(const char *name) {
    return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == strlen(name);
}

/* Does the message name one of the files, or are they such that it writes them otherwise? */
static bool names_a_file(const evidence *e) {
    const char *err = rft_str_get(&e->done->err);
    bool plain = true, any = false;
    for (size_t i = 0; i < e->means->input_count + e->means->output_count; i++) {
        const char *path =
            i < e->means->input_count ? e->means->inputs[i] : e->means->outputs[i - e->means->input_count];
        const char *name = rft_fs_name(path);
        bool hyphen = strcmp(name, "-") == 0; /* is in every message */
        any = any || (*name && !hyphen && strstr(err, name));
        plain = plain && !hyphen && is_plain(name) && strlen(name) < 100;
    }
    return any || !plain || strstr(err, ".lua") || strstr(err, "stdout");
}

static void judge_words(verdict *v, const evidence *e, rft_arena *arena) {
    const execution *done = e->done;
    const char *err = rft_str_get(&done->err), *command = e->means->command;
    const char *what = unsafe(&done->err);
    if (what) {
        complain(v, arena, rft_arena_printf(arena, "stderr, status %d, has", done->status), what);
    }
    what = e->means->to_stdout ? NULL : unsafe(&done->out);
    if (what) {
        complain(v, arena, rft_arena_printf(arena, "stdout of %s has", command), what);
    }
    if (done->status > 0 && done->status < 70) {
        char *status = rft_arena_printf(arena, "%s, status %d", command, done->status);
        if (!strstr(err, "remedy: ")) {
            complain(v, arena, done->err.length ? "names no remedy" : "says nothing", status);
        }
        if ((done->status == 8 || done->status == 9 || done->status == 10 || done->status == 11) && !names_a_file(e)) {
            complain(v, arena, "names no file", status);
        }
    }
    if (done->status == 0 && e->means->json_stdout && !e->means->help) {
        json_t *value = json_loadb(rft_str_get(&done->out), done->out.length, JSON_DECODE_ANY, NULL);
        if (!value) {
            complain(v, arena, "stdout is no JSON", command);
        }
        json_decref(value);
    }
}

/* ---- what it wrote ---- */
/* "a/b/box" and "../x" -> "a/b/x". */
static char *below_root(const char *folder, const char *name, rft_arena *arena) {
    char *path = rft_arena_printf(arena, "%s/%s/", folder, name);
    char *out = rft_arena_alloc(arena, strlen(path) + 1);
    size_t length = 0;
    for (char *at = path; *at;) {
        size_t part = strcspn(at, "/");
        if (part == 2 && strncmp(at, "..", 2) == 0) {
            while (length && out[--length] != '/') {
            }
        } else if (part && !(part == 1 && *at == '.')) {
            out[length] = '/';
            length += length != 0;
            memcpy(out + length, at, part);
            length += part;
        }
        at += part + 1;
    }
    out[length] = '\0';
    return out;
}

static bool is_stem_of(const char *stem, size_t length, const char *path, const char *suffix) {
    return strncmp(stem, path, length) == 0 && strcmp(path + length, suffix) == 0;
}

/* SQLite makes a log's files to look into a database that has one; they stay where that is refused. */
static bool is_of_a_log(const evidence *e, const char *path, rft_arena *arena) {
    size_t length = strlen(path);
    bool log = rft_text_ends(path, "-wal") || rft_text_ends(path, "-shm");
    const box_entry *database = log ? box_find(e->before, rft_arena_strndup(arena, path, length - 4)) : NULL;
    return database && database->head == 'w' && e->done->status != 0;
}

/* An output by the name of a link: what that names. */
static bool is_behind_link(const evidence *e, const char *named, const char *path, rft_arena *arena) {
    const box_entry *link = box_find(e->before, named);
    const char *slash = strrchr(named, '/');
    if (!link || !link->target || !slash) {
        return false;
    }
    const char *folder = rft_arena_strndup(arena, named, (size_t)(slash - named));
    return strcmp(below_root(folder, link->target, arena), path) == 0;
}

/* May the command make this? Its outputs, and what the manual says that it names itself. */
static bool may_make(const evidence *e, const char *path, rft_arena *arena) {
    const meaning *m = e->means;
    bool run = strcmp(m->command, "run") == 0, report = strcmp(m->command, "report") == 0;
    for (size_t i = 0; i < m->output_count; i++) {
        char *named = below_root(e->folder, m->outputs[i], arena);
        size_t length = strlen(named);
        size_t stem = rft_text_ends(named, ".db") ? length - 3 : length;
        if (strcmp(named, path) == 0 || is_behind_link(e, named, path, arena) ||
            (run && (is_stem_of(named, stem, path, ".pdf") || is_stem_of(named, length, path, ".pdf")))) {
            return true;
        }
        if (run && strncmp(named, path, length) == 0 && path[length] == '/') {
            return rft_text_ends(path, ".db") || rft_text_ends(path, ".pdf"); /* of several devices */
        }
        if (!run && strncmp(named, path, strlen(path)) == 0 && named[strlen(path)] == '/') {
            return true; /* folders above -o of new, above --csv-dir */
        }
        if (report && strncmp(named, path, length) == 0 && path[length] == '/') {
            return rft_text_ends(path, ".csv");
        }
        if (run && strncmp(named, path, length) == 0 && rft_text_starts(path + length, ".parts")) {
            return true; /* of --split, until it is one file */
        }
    }
    if (strcmp(m->command, "new") == 0) { /* into its folder, or beside its source */
        return rft_text_ends(path, ".lua") || rft_text_ends(path, ".cu") || rft_text_ends(path, ".cuh");
    }
    if (run && !m->output) {
        return rft_text_ends(path, ".db") || rft_text_ends(path, ".pdf");
    }
    return report && !m->output && (rft_text_ends(path, ".pdf") || rft_text_ends(path, ".svg"));
}

static bool is_named(const evidence *e, const char *const *names, size_t count, const char *path, rft_arena *arena) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(below_root(e->folder, names[i], arena), path) == 0) {
            return true;
        }
    }
    return false;
}

/* Of a run file: SQLite's own beside it, and a lock that names a process or none. */
static bool is_companion(const box_entry *was) {
    static const char *const own[] = {".db-wal", ".db-shm", ".db-journal"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (rft_text_ends(was->path, own[i])) {
            return true;
        }
    }
    return was->head == 'n' && rft_text_ends(was->path, ".db-lock");
}

/* May the command change what was there? A run file goes on in a run, takes baselines in an import; other outputs are
 * written anew, unless they are inputs, runs or recordings. */
static bool may_change(const evidence *e, const box_entry *was, rft_arena *arena) {
    const meaning *m = e->means;
    bool input = is_named(e, m->inputs, m->input_count, was->path, arena);
    bool output = is_named(e, m->outputs, m->output_count, was->path, arena);
    bool is_output = m->output && strcmp(below_root(e->folder, m->output, arena), was->path) == 0;
    if (was->type != 'f') {
        return false;
    }
    bool database = strchr("sw", was->head) != NULL;
    if (database && strcmp(m->command, "run") == 0) {
        return is_output;
    }
    if (database && strcmp(m->command, "import") == 0 && m->adds) {
        return input;
    }
    if (is_companion(was)) {
        return true;
    }
    return !input && strchr(".n", was->head) && (output || may_make(e, was->path, arena));
}

static const char *shape_of(const char *path, rft_arena *arena) {
    const char *name = rft_fs_name(path);
    const char *dot = strrchr(name, '.');
    return rft_arena_strdup(arena, dot ? dot : name);
}

static void judge_files(verdict *v, const evidence *e, rft_arena *arena) {
    const char *command = e->means->command;
    for (size_t i = 0; i < e->after->count; i++) {
        const box_entry *now = &e->after->items[i];
        if (!box_find(e->before, now->path) && !may_make(e, now->path, arena) && !is_of_a_log(e, now->path, arena)) {
            complain(v, arena, rft_arena_printf(arena, "%s makes a file that was not asked for", command),
                     shape_of(now->path, arena));
        }
    }
    for (size_t i = 0; i < e->before->count; i++) {
        const box_entry *was = &e->before->items[i], *now = box_find(e->after, was->path);
        bool same = now && now->type == was->type && now->hash == was->hash;
        same = same || (was->head == 'w' && now && now->head == 's'); /* a reader makes one file of a run and its log */
        if (!same && !may_change(e, was, arena)) {
            complain(v, arena, rft_arena_printf(arena, "%s %s", command, now ? "changes" : "removes"),
                     strchr("sw", was->head) ? "a run file"
                     : was->head == 'g'      ? "a packed file"
                                             : shape_of(was->path, arena));
        }
    }
}

verdict verdict_of(const evidence *e, rft_arena *arena) {
    verdict v = {.count = 0};
    judge_end(&v, e, arena);
    judge_cost(&v, e, arena);
    if (!e->done->signal) { /* what was killed could not clean up */
        judge_files(&v, e, arena);
    }
    judge_words(&v, e, arena);
    return v;
}
