/* SPDX-License-Identifier: Apache-2.0 */
#include "store/package.h"

#include "base/fs.h"
#include "base/plain.h"
#include "store/recording.h"

#include <stddef.h>
#include <string.h>

/* ---- the form: ustar (POSIX.1-1988), plain files of four names in one folder ---- */

enum { BLOCK = 512, NAME_BYTES = 100 };

typedef struct tar_header {
    char name[NAME_BYTES], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100];
    char magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], rest[12];
} tar_header;
_Static_assert(sizeof(tar_header) == BLOCK, "a header is a block");

typedef enum member { SUMS, RUN, MIX, README, MEMBERS } member;
static const char *const names[MEMBERS] = {"SHA256SUMS", "run.json", "mix.json", "README.md"};

typedef struct contents {
    const char *data[MEMBERS]; /* NULL: it is not there */
    size_t sizes[MEMBERS];
} contents;

static unsigned sum_of(const tar_header *header) {
    tar_header blank = *header;
    const unsigned char *bytes = (const unsigned char *)&blank;
    unsigned sum = 0;
    memset(blank.sum, ' ', sizeof blank.sum);
    for (size_t i = 0; i < BLOCK; i++) {
        sum += bytes[i];
    }
    return sum;
}

/* What SHA256SUMS has to be: `sha256sum -c` reads it. */
static void sums_line(rft_str *out, const contents *of, member m) {
    char hex[RFT_HASH_HEX_SIZE];
    rft_hash_hex(of->data[m], of->sizes[m], hex);
    rft_str_addf(out, "%s  %s\n", hex, names[m]);
}

static void sums_text(rft_str *out, const contents *of) {
    for (member m = RUN; m < MEMBERS; m++) {
        if (of->data[m]) {
            sums_line(out, of, m);
        }
    }
}

/* ---- writing ---- */

static void put_octal(char *field, size_t size, unsigned long long value) {
    char text[32];
    rft_text_format(text, sizeof text, "%0*llo", (int)size - 1, value);
    memcpy(field, text, size);
}

/* Six digits, NUL, space, as every tar writes it. */
static void sign(tar_header *header) {
    put_octal(header->sum, sizeof header->sum - 1, sum_of(header));
    header->sum[sizeof header->sum - 1] = ' ';
}

static void put_member(rft_str *out, const contents *of, member m) {
    static const char padding[BLOCK];
    tar_header header = {.type = '0', .magic = "ustar", .version = {'0', '0'}};
    rft_text_format(header.name, sizeof header.name, RFT_PACKAGE_FOLDER "%s", names[m]);
    put_octal(header.mode, sizeof header.mode, 0644);
    put_octal(header.uid, sizeof header.uid, 0);
    put_octal(header.gid, sizeof header.gid, 0);
    put_octal(header.size, sizeof header.size, of->sizes[m]);
    put_octal(header.mtime, sizeof header.mtime, 0);
    sign(&header);
    rft_str_add_n(out, (const char *)&header, BLOCK);
    rft_str_add_n(out, of->data[m], of->sizes[m]);
    rft_str_add_n(out, padding, (BLOCK - of->sizes[m] % BLOCK) % BLOCK);
}

void rft_package_bytes(const rft_package_parts *parts, rft_str *out, char digest[RFT_HASH_HEX_SIZE]) {
    static const char end[2 * BLOCK];
    rft_str run = RFT_STR_INIT, sums = RFT_STR_INIT;
    rft_recording_text(parts->run, &run);
    contents of = {.data = {[RUN] = rft_str_get(&run), [MIX] = parts->mixes, [README] = parts->page},
                   .sizes = {[RUN] = run.length,
                             [MIX] = parts->mixes ? strlen(parts->mixes) : 0,
                             [README] = parts->page ? strlen(parts->page) : 0}};
    sums_text(&sums, &of);
    of.data[SUMS] = rft_str_get(&sums);
    of.sizes[SUMS] = sums.length;
    rft_hash_hex(rft_str_get(&sums), sums.length, digest);
    for (member m = SUMS; m < MEMBERS; m++) {
        if (of.data[m]) {
            put_member(out, &of, m);
        }
    }
    rft_str_add_n(out, end, sizeof end);
    rft_str_clear(&run);
    rft_str_clear(&sums);
}

int rft_package_write(const rft_package_parts *parts, const char *path, char digest[RFT_HASH_HEX_SIZE], rft_err *err) {
    rft_str bytes = RFT_STR_INIT;
    rft_package_bytes(parts, &bytes, digest);
    int code = RFT_OK;
    if (bytes.length > RFT_RECORDING_MAX_BYTES || (parts->mixes && strlen(parts->mixes) > RFT_PACKAGE_MIX_BYTES)) {
        rft_err_set(err, RFT_E_LIMIT, "%s: the package would hold more than is read of one", path);
        code = rft_err_remedy(err, "run fewer sweeps, or send the run file itself");
    }
    code = code ? code : rft_fs_write_gzip(path, bytes.data, bytes.length, err);
    rft_str_clear(&bytes);
    return code;
}

/* ---- reading: what strangers sent ---- */

bool rft_package_is(const char *bytes, size_t size) {
    return size >= BLOCK && *bytes != '{' && memcmp(bytes + offsetof(tar_header, magic), "ustar", 5) == 0;
}

static int no_package(const char *what, rft_err *err, const char *why) {
    rft_err_set(err, RFT_E_RECORDING, "%s: %s", what, why);
    return rft_err_remedy(err, "ask for it again, as `rooftune run --package` wrote it");
}

/* False: other characters than octal digits, or a number that no archive has. */
static bool read_octal(const char *field, size_t size, size_t *out) {
    size_t at = 0;
    *out = 0;
    for (; at < size && field[at] >= '0' && field[at] <= '7'; at++) {
        if (*out > SIZE_MAX >> 4) {
            return false;
        }
        *out = *out * 8 + (size_t)(field[at] - '0');
    }
    return at > 0 && (at == size || field[at] == '\0' || field[at] == ' ');
}

/* Which file the header is of; MEMBERS: none that a package has. */
static member member_of(const tar_header *header) {
    const size_t folder = strlen(RFT_PACKAGE_FOLDER);
    member m = SUMS;
    bool ours = memchr(header->name, '\0', sizeof header->name) && *header->prefix == '\0' &&
                strncmp(header->name, RFT_PACKAGE_FOLDER, folder) == 0;
    while (m < MEMBERS && !(ours && strcmp(header->name + folder, names[m]) == 0)) {
        m++;
    }
    return m;
}

static int other_member(const tar_header *header, const char *what, rft_err *err) {
    rft_str name = RFT_STR_INIT;
    rft_plain_add(&name, header->name, strnlen(header->name, sizeof header->name));
    rft_err_set(err, RFT_E_RECORDING, "%s holds \"%.120s\", which no package of rooftune does", what,
                rft_str_get(&name));
    rft_str_clear(&name);
    return rft_err_remedy(err, "nothing of it was read or unpacked; ask for it as `rooftune run --package` wrote it");
}

static bool all_zero(const char *bytes, size_t size) {
    size_t at = 0;
    while (at < size && bytes[at] == '\0') {
        at++;
    }
    return at == size;
}

static int read_members(contents *out, const char *bytes, size_t size, const char *what, rft_err *err) {
    size_t at = 0;
    while (at < size && !all_zero(bytes + at, size - at)) {
        tar_header header, signed_anew;
        size_t length = 0;
        if (size - at < BLOCK) {
            return no_package(what, err, "the archive ends in the middle: it is truncated");
        }
        memcpy(&header, bytes + at, BLOCK);
        at += BLOCK;
        signed_anew = header;
        sign(&signed_anew);
        if (memcmp(&header, &signed_anew, BLOCK) != 0 || memcmp(header.magic, "ustar", 5) != 0) {
            return no_package(what, err, "a header of the archive is damaged");
        }
        member m = member_of(&header);
        if (m == MEMBERS || header.type != '0') {
            return other_member(&header, what, err);
        }
        if (out->data[m]) {
            return no_package(what, err, "the archive holds a file twice");
        }
        if (!read_octal(header.size, sizeof header.size, &length) || length > size - at) {
            return no_package(what, err, "the archive ends in the middle: it is truncated");
        }
        out->data[m] = bytes + at;
        out->sizes[m] = length;
        at += length;
        size_t padding = (BLOCK - length % BLOCK) % BLOCK;
        padding = padding < size - at ? padding : size - at;
        if (!all_zero(bytes + at, padding)) {
            return no_package(what, err, "there is something between the files of the archive");
        }
        at += padding;
    }
    return out->data[SUMS] && out->data[RUN] ? RFT_OK
                                             : no_package(what, err, "the archive lacks SHA256SUMS or run.json");
}

static bool has_text(const char *data, size_t size, const char *line, size_t length) {
    bool found = false;
    for (size_t at = 0; at + length <= size && !found; at++) {
        found = memcmp(data + at, line, length) == 0;
    }
    return found;
}

/* The list has to be the one that is made of what is there. */
static int check_sums(const contents *of, const char *what, rft_err *err) {
    rft_str sums = RFT_STR_INIT;
    int code = RFT_OK;
    sums_text(&sums, of);
    bool same = sums.length == of->sizes[SUMS] && memcmp(rft_str_get(&sums), of->data[SUMS], sums.length) == 0;
    for (member m = RUN; m < MEMBERS && !same && code == RFT_OK; m++) {
        rft_str line = RFT_STR_INIT;
        if (of->data[m]) {
            sums_line(&line, of, m);
        }
        if (line.length && !has_text(of->data[SUMS], of->sizes[SUMS], rft_str_get(&line), line.length)) {
            rft_err_set(err, RFT_E_RECORDING, "%s: %s is not what its checksum says: it was damaged or changed", what,
                        names[m]);
            code = rft_err_remedy(err, "ask for it again; none of its figures are shown");
        }
        rft_str_clear(&line);
    }
    if (!same && code == RFT_OK) {
        code = no_package(what, err, "SHA256SUMS lists other files than there are: it was damaged or changed");
    }
    rft_str_clear(&sums);
    return code;
}

int rft_package_parse(rft_run **out, const char *bytes, size_t size, const char *what, rft_err *err) {
    contents of = {0};
    char digest[RFT_HASH_HEX_SIZE];
    *out = NULL;
    int code = read_members(&of, bytes, size, what, err);
    code = code ? code : check_sums(&of, what, err);
    if (code == RFT_OK && of.sizes[MIX] > RFT_PACKAGE_MIX_BYTES) {
        code = no_package(what, err, "mix.json is longer than any mix");
    }
    rft_str run = RFT_STR_INIT; /* ends with a NUL of its own */
    if (code == RFT_OK) {
        rft_str_add_n(&run, of.data[RUN], of.sizes[RUN]);
        code = rft_recording_parse(out, rft_str_get(&run), run.length, what, err);
    }
    rft_str_clear(&run);
    if (code == RFT_OK) {
        rft_arena *arena = (*out)->arena;
        rft_run_package *package = rft_arena_calloc(arena, 1, sizeof *package);
        rft_hash_hex(of.data[SUMS], of.sizes[SUMS], digest);
        package->digest = rft_arena_strdup(arena, digest);
        package->mixes = of.data[MIX] ? rft_arena_strndup(arena, of.data[MIX], of.sizes[MIX]) : NULL;
        (*out)->package = package;
    }
    return code;
}
