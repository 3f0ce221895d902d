/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/commands/damage.h"

#include "base/fs.h"
#include "base/hash.h"
#include "base/str.h"
#include "fuzz/commands/edit_bytes.h"
#include "fuzz/commands/edit_json.h"
#include "fuzz/commands/edit_sqlite.h"
#include "fuzz/commands/edit_tokens.h"
#include "fuzz/commands/hostile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static void write_plain(const char *path, const char *data, size_t size) {
    (void)rft_fs_put(path, data, size, true, NULL);
}

/* Deflated a little only: level 9 costs more than the command. */
static void write_file(const char *path, const char *data, size_t size) {
    if (!rft_text_ends(path, ".gz")) {
        write_plain(path, data, size);
        return;
    }
    gzFile file = gzopen(path, "wb1");
    if (file) {
        gzwrite(file, data, (unsigned)size);
        gzclose(file);
    }
}

void damage_none(const char *path, const sample *from) {
    write_file(path, from->data, from->size);
}

static size_t bytes_of(char **data, const sample *from, const samples *all, family of, uint64_t *random) {
    const sample *other = samples_pick(all, of, random);
    size_t room = from->size + 64;
    *data = rft_alloc(room);
    memcpy(*data, from->data, from->size);
    return edit_bytes(*data, from->size, room, other->data, other->size, random);
}

/* A small file that becomes a large one: many empty objects, a long number, a long text, many members. */
static void write_bomb(const char *path, uint64_t *random) {
    static const char *const pieces[] = {"{},", "[],", "1", " ", "x", "{\"a\":", "[", "\"a\":1,", "null,", "\\u0000"};
    static const size_t sizes[] = {1 << 16, 1 << 20, 16 << 20, 40 << 20, 70 << 20};
    const char *piece = pieces[rft_random_below(random, sizeof pieces / sizeof *pieces)];
    size_t wanted = sizes[rft_random_below(random, sizeof sizes / sizeof *sizes)], done = 0;
    rft_str block = RFT_STR_INIT;
    while (block.length < 65536) {
        rft_str_add(&block, piece);
    }
    gzFile file = gzopen(path, "wb1");
    if (file) {
        const char *head = hostile_chance(random, 2) ? "{\"results\":[" : "{\"rooftune\":{\"schema\":1,\"env\":[";
        gzwrite(file, head, (unsigned)strlen(head));
        for (; done < wanted; done += block.length) {
            gzwrite(file, rft_str_get(&block), (unsigned)block.length);
        }
        gzclose(file);
    }
    rft_str_clear(&block);
}

/* The packed bytes themselves: a bit, a cut, something behind the end. */
static void damage_packed(const char *path, uint64_t *random) {
    char *data = NULL;
    size_t size = 0;
    if (rft_fs_read(&data, &size, path, 0, NULL) != RFT_OK || size == 0) {
        free(data);
        return;
    }
    switch (rft_random_below(random, 4)) {
    case 0:
        size = rft_random_below(random, size);
        break;
    case 1:
        data[rft_random_below(random, size)] ^= (char)(1 << rft_random_below(random, 8));
        break;
    case 2:
        data[rft_random_below(random, size < 18 ? size : 18)] = (char)rft_random_below(random, 256);
        break;
    default: /* two members */
        data = rft_realloc(data, 2, size);
        memcpy(data + size, data, size);
        size *= 2;
        break;
    }
    write_plain(path, data, size);
    free(data);
}

static void damage_json(const char *path, const sample *from, const samples *all, family of, uint64_t *random) {
    json_t *tree = json_loadb(from->data, from->size, 0, NULL);
    rft_str text = RFT_STR_INIT;
    if (tree && !hostile_chance(random, 8)) {
        edit_json(&text, tree, random);
    } else {
        char *data = NULL;
        size_t size = bytes_of(&data, from, all, of, random);
        rft_str_add_n(&text, data, size);
        free(data);
    }
    write_file(path, rft_str_get(&text), text.length);
    if (rft_text_ends(path, ".gz") && hostile_chance(random, 60)) {
        write_bomb(path, random);
    } else if (rft_text_ends(path, ".gz") && hostile_chance(random, 16)) {
        damage_packed(path, random);
    }
    rft_str_clear(&text);
    json_decref(tree);
}

/* What stands beside a run file by the names that SQLite and rooftune use: left by a killed run, or the user's own. */
static void add_companion(const char *path, uint64_t *random) {
    static const char *const suffixes[] = {"-wal", "-shm", "-lock", "-lock", "-journal"};
    static const char *const texts[] = {"", "1\n", "999999999\n", "mine\n", "SQLite format 3", "7\177\006\202"};
    rft_str name = RFT_STR_INIT;
    rft_str_addf(&name, "%s%s", path, suffixes[rft_random_below(random, sizeof suffixes / sizeof *suffixes)]);
    const char *companion = rft_str_get(&name), *text = texts[rft_random_below(random, sizeof texts / sizeof *texts)];
    switch (rft_random_below(random, 5)) {
    case 0:
        (void)!symlink("m.lua", companion);
        break;
    case 1:
        (void)mkfifo(companion, 0666);
        break;
    case 2:
        (void)mkdir(companion, 0777);
        break;
    default:
        write_plain(companion, text, strlen(text));
        break;
    }
    rft_str_clear(&name);
}

static void damage_run_file(const char *path, const sample *from, uint64_t *random) {
    bool pages = hostile_chance(random, 4);
    char *data = rft_alloc(2 * from->size + 1);
    memcpy(data, from->data, from->size);
    size_t size = pages ? edit_sqlite_pages(data, from->size, random) : from->size;
    write_plain(path, data, size);
    free(data);
    if (hostile_chance(random, 8)) {
        add_companion(path, random);
    } else if (!pages) {
        edit_sqlite_rows(path, random);
    }
}

static void damage_text(const char *path, const sample *from, bool lua, uint64_t *random) {
    size_t count = 0;
    const char *const *snippets = lua ? edit_tokens_lua(&count) : NULL;
    rft_str text = RFT_STR_INIT;
    edit_tokens(&text, from->data, from->size, snippets, count, random);
    write_plain(path, rft_str_get(&text), text.length);
    rft_str_clear(&text);
}

static const char *suffix_of(family of, const sample *from, uint64_t *random) {
    switch (of) {
    case FAMILY_RECORDING:
    case FAMILY_FOREIGN:
        return hostile_chance(random, 2) ? ".json.gz" : ".json";
    case FAMILY_RUN_FILE:
        return ".db";
    case FAMILY_SWEEP:
    case FAMILY_MIX:
        return ".lua";
    case FAMILY_BASELINES:
        return from->size && strchr("[{", from->data[0]) ? ".json" : ".csv";
    case FAMILY_COUNTERS:
        return ".csv";
    default:
        return ".json";
    }
}

static void damage_one(const char *path, const sample *from, const samples *all, family of, uint64_t *random) {
    bool json = rft_text_ends(path, ".json") || rft_text_ends(path, ".json.gz");
    if (of == FAMILY_RUN_FILE) {
        damage_run_file(path, from, random);
    } else if (json) {
        damage_json(path, from, all, of, random);
    } else {
        damage_text(path, from, of == FAMILY_SWEEP || of == FAMILY_MIX, random);
    }
}

const char *damage_make(const char *folder, const samples *from, family of, bool good, rft_arena *arena,
                        uint64_t *random) {
    const sample *chosen = samples_pick(from, of, random);
    rft_str name = RFT_STR_INIT;
    if (hostile_chance(random, 12)) {
        hostile_name(&name, random);
    } else {
        rft_str_add_char(&name, 'a');
    }
    rft_str_add(&name, suffix_of(of, chosen, random));
    char *path = rft_fs_join(folder, rft_str_get(&name));
    if (good) {
        damage_none(path, chosen);
    } else {
        damage_one(path, chosen, from, of, random);
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&name));
    free(path);
    rft_str_clear(&name);
    return kept;
}

static void link_in(const char *folder, const char *target, const char *name) {
    char *path = rft_fs_join(folder, name);
    (void)!symlink(target, path);
    free(path);
}

void damage_odd_files(const char *folder) {
    char *below = rft_fs_join(folder, "folder"), *fifo = rft_fs_join(folder, "fifo"),
         *empty = rft_fs_join(folder, "empty");
    (void)mkdir(below, 0777);
    (void)mkfifo(fifo, 0666);
    write_plain(empty, "", 0);
    link_in(folder, "nowhere", "dangling");
    link_in(folder, "loop", "loop");
    link_in(folder, "r.db", "link.db");
    link_in(folder, "b.json.gz", "link.json.gz");
    link_in(folder, "../up", "link.out");
    free(below);
    free(fifo);
    free(empty);
}
