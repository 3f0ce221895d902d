/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/include_scan.h"

#include "base/fs.h"
#include "base/hash.h"
#include "base/str.h"
#include "model/sweep/compile_option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_LIMIT = 1000 };
static const size_t header_max_bytes = (size_t)64 << 20;

typedef struct scan {
    rft_include_set *set;
    const rft_compile_request *request;
    rft_arena *arena;
    const char **folders; /* of -I */
    const char **forced;  /* of -include */
    size_t folder_count, forced_count;
} scan;

/* ---- one line ---- */
static const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t') {
        p++;
    }
    return p;
}

/* If the line at `p` is an #include, returns the character after the word, else NULL. */
static const char *after_include_word(const char *p) {
    p = skip_blanks(p);
    if (*p != '#') {
        return NULL;
    }
    p = skip_blanks(p + 1);
    if (strncmp(p, "include", 7) != 0) {
        return NULL;
    }
    p += 7;
    return (*p == ' ' || *p == '\t' || *p == '"' || *p == '<') ? skip_blanks(p) : NULL;
}

/* ---- files ---- */
static char *existing_file(const char *folder, const char *name) {
    char *path = rft_fs_join(folder, name);
    char *found = NULL;
    if (rft_fs_exists(path) && !rft_fs_is_folder(path)) {
        found = rft_fs_absolute(path);
    }
    free(path);
    return found;
}

/* The folders that options add to the search path; every option is one that is allowed, every path one that may be
 * read. A header that an option includes is named by no #include. */
static int read_options(scan *s, rft_err *err) {
    const rft_compile_request *request = s->request;
    rft_compile_option option = {0};
    int rc = 0;
    s->folders = rft_arena_calloc(s->arena, request->option_count + 1, sizeof *s->folders);
    s->forced = rft_arena_calloc(s->arena, request->option_count + 1, sizeof *s->forced);
    for (size_t i = 0; i < request->option_count && rc == 0; i += option.words) {
        rc = rft_compile_option_read(&option, request->options, request->option_count, i, err);
        if (rc == 0 && option.names == RFT_OPTION_NAMES_FOLDER) {
            s->folders[s->folder_count++] = option.value;
            rc = rft_roots_check(request->roots, option.value, err);
        }
        if (rc == 0 && option.names == RFT_OPTION_NAMES_FILE) {
            s->forced[s->forced_count++] = option.value;
            s->set->computed = true;
        }
    }
    return rc;
}

/* Where the compiler looks besides its options: the source's folder, then what kernels share, the folders `lib` in and
 * beside each of them, as far as the sweep may read those. */
static void find_folders(scan *s) {
    static const char *const shared[] = {"lib", "../lib"};
    rft_include_set *set = s->set;
    size_t count = s->folder_count + (set->source_folder != NULL);
    set->folders = rft_arena_calloc(s->arena, 1 + 2 * count, sizeof *set->folders);
    if (set->source_folder) {
        set->folders[set->folder_count++] = set->source_folder;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < 2; k++) {
            const char *of = i < s->folder_count ? s->folders[i] : set->source_folder;
            const char *folder = rft_arena_printf(s->arena, "%s/%s", of, shared[k]);
            if (rft_fs_is_folder(folder) && rft_roots_check(s->request->roots, folder, NULL) == 0) {
                set->folders[set->folder_count++] = folder;
            }
        }
    }
}

/* Heap path of a user header, NULL when it is not one. The order is that of the compiler: beside the including file,
 * the request's own folders, then find_folders(). */
static char *resolve(const scan *s, const char *spelled, bool quoted, const char *from_folder) {
    char *path = quoted && from_folder ? existing_file(from_folder, spelled) : NULL;
    for (size_t i = 0; i < s->folder_count && !path; i++) {
        path = existing_file(s->folders[i], spelled);
    }
    for (size_t i = 0; i < s->set->folder_count && !path; i++) {
        path = existing_file(s->set->folders[i], spelled);
    }
    return path;
}

/* True when (spelled, path) is in the set already; notes clashes between spellings and files. */
static bool is_known(rft_include_set *set, const char *spelled, const char *path) {
    bool known = false;
    for (size_t i = 0; i < set->count; i++) {
        bool same_name = strcmp(set->items[i].spelled, spelled) == 0;
        bool same_file = strcmp(set->items[i].path, path) == 0;
        if (same_name && same_file) {
            known = true;
        } else if (same_name || same_file) {
            set->ambiguous = true;
        }
    }
    return known;
}

static int add_header(scan *s, const char *spelled, const char *path, rft_err *err) {
    rft_include_set *set = s->set;
    if (set->count >= HEADER_LIMIT) {
        return rft_err_set(err, RFT_E_SOURCE, "%s includes more than %d headers", s->request->source_name,
                           HEADER_LIMIT);
    }
    char *text = NULL;
    size_t bytes = 0;
    int refused = rft_roots_check(s->request->roots, path, err);
    if (refused != 0) {
        return err ? rft_err_context(err, "#include \"%.200s\"", spelled) : refused;
    }
    if (rft_fs_read(&text, &bytes, path, header_max_bytes, err) != 0) {
        return err ? (err->code = RFT_E_SOURCE) : RFT_E_SOURCE;
    }
    set->items = rft_arena_grown(s->arena, set->items, set->count, &set->capacity, sizeof *set->items);
    rft_include *item = &set->items[set->count++];
    item->spelled = rft_arena_strdup(s->arena, spelled);
    item->path = rft_arena_strdup(s->arena, path);
    item->text = rft_arena_memdup(s->arena, text, bytes + 1);
    item->bytes = bytes;
    free(text);
    return 0;
}

/* One #include, `p` at its quote. */
static int take_include(scan *s, const char *p, const char *from_folder, rft_err *err) {
    bool quoted = *p == '"';
    if (!quoted && *p != '<') {
        s->set->computed = true;
        return 0;
    }
    size_t length = strcspn(p + 1, quoted ? "\"\n" : ">\n");
    if (length == 0 || (p[1 + length] != '"' && p[1 + length] != '>')) {
        return 0; /* the compiler will say so */
    }
    const char *spelled = rft_arena_strndup(s->arena, p + 1, length);
    char *path = resolve(s, spelled, quoted, from_folder);
    int rc = 0;
    if (path && !is_known(s->set, spelled, path)) {
        rc = add_header(s, spelled, path, err);
    }
    free(path);
    return rc;
}

/* The compiler also finds a forced header in the working folder. */
static int check_forced(const scan *s, rft_err *err) {
    int rc = 0;
    for (size_t i = 0; i < s->forced_count && rc == 0; i++) {
        char *path = resolve(s, s->forced[i], true, s->set->source_folder);
        rc = path || rft_fs_exists(s->forced[i]) ? rft_roots_check(s->request->roots, path ? path : s->forced[i], err)
                                                 : 0;
        free(path);
    }
    return rc;
}

/* `name` is the text's in messages. */
static int scan_text(scan *s, const char *text, const char *name, const char *from_folder, rft_err *err) {
    size_t number = 1;
    for (const char *line = text; line && *line; number++) {
        const char *p = after_include_word(line);
        int rc = p ? take_include(s, p, from_folder, err) : 0;
        if (rc != 0) {
            rft_err_place(err, "%.200s:%zu", name, number);
            return rc;
        }
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return 0;
}

static int read_source(scan *s, rft_err *err) {
    const rft_compile_request *request = s->request;
    rft_include_set *set = s->set;
    if (request->source_path) {
        char *folder = rft_fs_folder(request->source_path);
        char *absolute = rft_fs_absolute(folder);
        set->source_folder = rft_arena_strdup(s->arena, absolute);
        free(absolute);
        free(folder);
    }
    if (request->source_text) {
        set->source = request->source_text;
        set->source_bytes = strlen(request->source_text);
        return 0;
    }
    if (!request->source_path) {
        return rft_err_set(err, RFT_E_SOURCE, "a compile request without source text or path");
    }
    char *text = NULL;
    size_t bytes = 0;
    int refused = rft_roots_check(request->roots, request->source_path, err);
    if (refused != 0) {
        return refused;
    }
    if (rft_fs_read(&text, &bytes, request->source_path, header_max_bytes, err) != 0) {
        rft_err_remedy(err, "paths in a sweep are relative to the file that names them");
        return err ? (err->code = RFT_E_SOURCE) : RFT_E_SOURCE;
    }
    set->source = rft_arena_memdup(s->arena, text, bytes + 1);
    set->source_bytes = bytes;
    free(text);
    if (strlen(set->source) != bytes) {
        rft_err_set(err, RFT_E_SOURCE, "%s holds a NUL byte: it is not CUDA source", request->source_path);
        return rft_err_remedy(err, "a kernel that is compiled already is given as NAME.cubin or NAME.ptx");
    }
    return 0;
}

int rft_include_scan(rft_include_set *out, const rft_compile_request *request, rft_arena *arena, rft_err *err) {
    *out = (rft_include_set){0};
    scan s = {.set = out, .request = request, .arena = arena};
    int rc = read_options(&s, err);
    if (rc == 0) {
        rc = read_source(&s, err);
    }
    if (rc == 0) {
        find_folders(&s);
        rc = check_forced(&s, err);
    }
    if (rc == 0) {
        rc = scan_text(&s, out->source, request->source_name, out->source_folder, err);
    }
    /* The set grows while it is walked: headers found in headers come up later. */
    for (size_t i = 0; i < out->count && rc == 0; i++) {
        const char *text = out->items[i].text;
        char *folder = rft_fs_folder(out->items[i].path);
        rc = scan_text(&s, text, out->items[i].spelled, folder, err);
        free(folder);
    }
    return rc;
}

/* ---- hashes of a source and all it includes ---- */

static void set_source_hash(rft_source_hash *out, const char *name, const char *text, size_t bytes) {
    out->name = name;
    rft_hash_hex(text, bytes, out->hex);
}

int rft_source_hashes(rft_source_hash **out, size_t *count, const char *path, const rft_roots *roots, rft_arena *arena,
                      rft_err *err) {
    rft_compile_request request = {.source_name = rft_fs_name(path), .source_path = path, .roots = roots};
    rft_include_set set;
    int rc = rft_include_scan(&set, &request, arena, err);
    if (rc != 0) {
        return rc;
    }
    rft_source_hash *made = rft_arena_calloc(arena, set.count + 1, sizeof *made);
    set_source_hash(&made[0], rft_arena_strdup(arena, rft_fs_name(path)), set.source, set.source_bytes);
    for (size_t i = 0; i < set.count; i++) {
        set_source_hash(&made[i + 1], set.items[i].spelled, set.items[i].text, set.items[i].bytes);
    }
    *out = made;
    *count = set.count + 1;
    return 0;
}
