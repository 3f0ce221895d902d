/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/outputs.h"

#include "base/fs.h"
#include "cli/best_text.h"
#include "model/acceptance/accept_limits.h"
#include "store/store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_BYTES 65536 /* of a file: what it is, is said in its beginning */

bool rft_output_option(rft_output_kind *kind, const char *name, const char *argument) {
    static const char *const names[] = {"output", "report", "package", "json",       "csv",
                                        "points", "events", "junit",   "limits-out", "bundle"};
    bool writes = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        writes = writes || strcmp(name, names[i]) == 0;
    }
    *kind = strcmp(name, "events") == 0          ? RFT_OUTPUT_STREAM
            : rft_text_equal(argument, "RUN.db") ? RFT_OUTPUT_RUN
                                                 : RFT_OUTPUT_FILE;
    return writes && !rft_text_equal(argument, "DIR"); /* `new` replaces nothing in its folder */
}

static bool names_file(const rft_output *output) {
    return output->path && strcmp(output->path, "-") != 0;
}

/* ---- the same file ---- */

static bool same_inode(const char *a, const char *b) {
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_ino == other.st_ino && one.st_dev == other.st_dev;
}

/* The same words between the slashes, but for ".". */
static bool same_way(const char *a, const char *b) {
    if ((*a == '/') != (*b == '/')) {
        return false;
    }
    for (;;) {
        while (*a == '/' || (*a == '.' && (a[1] == '/' || a[1] == '\0'))) {
            a++;
        }
        while (*b == '/' || (*b == '.' && (b[1] == '/' || b[1] == '\0'))) {
            b++;
        }
        const size_t length = strcspn(a, "/");
        if (strcspn(b, "/") != length || strncmp(a, b, length) != 0) {
            return false;
        }
        if (length == 0) {
            return true;
        }
        a += length;
        b += length;
    }
}

/* Would both be the same file, were they there? */
static bool same_place(const char *a, const char *b) {
    if (same_inode(a, b)) {
        return true;
    }
    char *folder_a = rft_fs_folder(a), *folder_b = rft_fs_folder(b);
    /* Folders may be made for them; to one that is not there the way is as it is written. */
    bool same =
        strcmp(rft_fs_name(a), rft_fs_name(b)) == 0 && (same_inode(folder_a, folder_b) || same_way(folder_a, folder_b));
    free(folder_a);
    free(folder_b);
    return same;
}

/* A folder of runs stands for those in it (report --reference). */
static bool is_run_in(const char *folder, const char *output) {
    char *around = rft_fs_folder(output);
    bool inside = rft_fs_is_folder(folder) && same_inode(folder, around) && rft_fs_exists(output) &&
                  (rft_text_ends(output, ".db") || rft_text_ends(output, ".json") || rft_text_ends(output, ".json.gz"));
    free(around);
    return inside;
}

static bool is_read(const char *input, const char *output) {
    return same_inode(input, output) || is_run_in(input, output);
}

/* "replay:FILE", and files among words that commas part. */
static bool word_names(const char *word, const char *output) {
    if (rft_text_starts(word, "replay:")) {
        word += strlen("replay:");
    }
    bool named = is_read(word, output);
    for (const char *piece = word; !named && strchr(word, ',') && *piece;) {
        size_t length = strcspn(piece, ",");
        rft_str part = RFT_STR_INIT;
        rft_str_add_n(&part, piece, length);
        named = is_read(rft_str_get(&part), output);
        rft_str_clear(&part);
        piece += length + (piece[length] == ',');
    }
    return named;
}

static int check_inputs(const rft_output *output, const rft_words *inputs, rft_err *err) {
    for (size_t i = 0; i < inputs->count; i++) {
        if (word_names(inputs->items[i], output->path)) {
            rft_err_set(err, RFT_E_USAGE, "%s %s is also what is read (%s), and would be lost", output->option,
                        output->path, inputs->items[i]);
            return rft_err_remedy(err, "name another file with %s", output->option);
        }
    }
    return RFT_OK;
}

/* What SQLite and the lock call their files beside a run that is there or comes to be. */
static bool belongs_to_run(const rft_output *outputs, size_t count, const char *path) {
    size_t length = rft_store_companion_of(path);
    rft_str run = RFT_STR_INIT;
    rft_str_add_n(&run, path, length);
    bool belongs = length > 0 && rft_fs_exists(rft_str_get(&run));
    for (size_t i = 0; i < count && length > 0 && !belongs; i++) {
        belongs = names_file(&outputs[i]) && same_place(rft_str_get(&run), outputs[i].path);
    }
    rft_str_clear(&run);
    return belongs;
}

static int check_outputs(const rft_output *outputs, size_t count, size_t at, rft_err *err) {
    const rft_output *output = &outputs[at];
    for (size_t i = 0; i < at; i++) {
        if (names_file(&outputs[i]) && same_place(outputs[i].path, output->path)) {
            rft_err_set(err, RFT_E_USAGE, "%s and %s name the same file, %s", outputs[i].option, output->option,
                        output->path);
            return rft_err_remedy(err, "name a file of its own with each");
        }
    }
    if (belongs_to_run(outputs, count, output->path)) {
        rft_err_set(err, RFT_E_USAGE, "%s %s is the name of what belongs to a run file", output->option, output->path);
        return rft_err_remedy(err, "name another file with %s", output->option);
    }
    return RFT_OK;
}

/* ---- what is there ---- */

static bool contains_any(const char *text, const char *const *words) {
    bool found = false;
    for (; *words && !found; words++) {
        found = strstr(text, *words) != NULL;
    }
    return found;
}

/* rooftune's own, T4, a cache of Kernel Tuner, KTT, and spaces (T1): by the words that each has in its beginning. */
static bool is_recording(const char *head) {
    static const char *const words[] = {
        "\"timeunit\"",   "\"schema_version\"",     "\"results\"", "\"tune_params_keys\"", "\"TimeUnit\"",
        "\"KttVersion\"", "\"ConfigurationSpace\"", NULL};
    return head[strspn(head, " \n\r\t")] == '{' && contains_any(head, words);
}

/* What `best` and `report --limits-out` wrote may be written again. */
static bool is_source(const char *path, const char *head) {
    static const char *const suffixes[] = {".lua", ".cu", ".cuh", ".h", ".hpp"};
    bool source = false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        source = source || rft_text_ends(path, suffixes[i]);
    }
    return source && !rft_text_starts(head, RFT_BEST_LUA_HEAD) && !rft_text_starts(head, RFT_BEST_HEADER_HEAD) &&
           !rft_text_starts(head, RFT_LIMITS_HEAD);
}

/* What must not be lost; NULL: nothing that is. */
static const char *treasure(const char *path, const char *head, size_t size) {
    static const char *const gzip = "\x1f\x8b";
    if (size == 0) {
        return NULL;
    }
    return rft_text_starts(head, RFT_STORE_MAGIC)              ? "a run, or another database"
           : rft_text_starts(head, gzip) || is_recording(head) ? "a recording"
           : is_source(path, head)                             ? "a script or a source"
                                                               : NULL;
}

static int check_content(const rft_output *output, rft_err *err) {
    int code = rft_fs_check_replaceable(output->path, err);
    int fd = code ? -1 : open(output->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return code; /* it is not there, or cannot be read: then the writer says more */
    }
    char *head = rft_alloc(HEAD_BYTES + 1);
    ssize_t got = read(fd, head, HEAD_BYTES);
    close(fd);
    head[got > 0 ? got : 0] = '\0';
    const char *what = treasure(output->path, head, got > 0 ? (size_t)got : 0);
    free(head);
    if (what) {
        rft_err_set(err, RFT_E_IO, "%s holds %s, which would be lost", output->path, what);
        code = rft_err_remedy(err, "name another file with %s, or remove that one", output->option);
    }
    return code;
}

int rft_outputs_check(const rft_output *outputs, size_t count, const rft_words *inputs, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; i < count && rc == RFT_OK; i++) {
        if (names_file(&outputs[i])) {
            rc = check_inputs(&outputs[i], inputs, err);
            rc = rc ? rc : check_outputs(outputs, count, i, err);
            rc = rc || outputs[i].kind != RFT_OUTPUT_FILE ? rc : check_content(&outputs[i], err);
        }
    }
    return rc;
}

bool rft_output_is_stdout(const char *path) {
    return path && rft_text_equal(path, "-");
}

int rft_outputs_check_stdout(const char *drawn, const char *const *texts, size_t count, const char *names,
                             rft_err *err) {
    size_t to_stdout = 0;
    for (size_t i = 0; i < count; i++) {
        to_stdout += rft_output_is_stdout(texts[i]);
    }
    if (to_stdout > 1) {
        return rft_err_set(err, RFT_E_USAGE, "only one of %s can go to stdout", names);
    }
    if (rft_output_is_stdout(drawn)) {
        rft_err_set(err, RFT_E_USAGE, "the PDF is not written to stdout");
        return rft_err_remedy(err, "-o takes the name of a file: OUT.pdf");
    }
    return RFT_OK;
}
