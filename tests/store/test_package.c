/* SPDX-License-Identifier: Apache-2.0 */
/* A package and back; what was damaged, changed, or made by other rules. */
#include "store/sample_run.h"
#include "store/store_test.h"

#include "base/fs.h"
#include "store/package.h"

#include <stdlib.h>
#include <string.h>

#define MIXES "[{\"items\":{},\"remarks\":[\"a remark\"]}]"
enum { BLOCK = 512, NAME_AT = 0, SIZE_AT = 124, SUM_AT = 148, TYPE_AT = 156, PREFIX_AT = 345 };

static rft_str package_of(rft_run *run, char digest[RFT_HASH_HEX_SIZE]) {
    rft_str bytes = RFT_STR_INIT;
    rft_package_bytes(&(rft_package_parts){run, MIXES, "# A page\n"}, &bytes, digest);
    return bytes;
}

/* What reading says; "" where it is a run. */
static const char *fault_of(const char *bytes, size_t size) {
    static rft_err err;
    rft_run *run = NULL;
    rft_err_clear(&err);
    int code = rft_package_is(bytes, size) ? rft_package_parse(&run, bytes, size, "p.tar.gz", &err)
                                           : rft_err_set(&err, RFT_E_RECORDING, "is no archive");
    assert_true((code == RFT_OK) == (run != NULL));
    assert_true(code == RFT_OK || (code == RFT_E_RECORDING && err.message[0]));
    rft_run_free(run);
    return code == RFT_OK ? "" : err.message;
}

static void has(const char *text, const char *part) {
    if (!strstr(text, part)) {
        fail_msg("\"%s\" lacks \"%s\"", text, part);
    }
}

static void a_package_comes_back(void **state) {
    (void)state;
    const char *path = temporary_path(0, "bid.tar.gz");
    char digest[RFT_HASH_HEX_SIZE], again[RFT_HASH_HEX_SIZE];
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *back = NULL;
    assert_int_equal(rft_package_write(&(rft_package_parts){run, MIXES, "# A page\n"}, path, digest, &err), 0);
    assert_true(rft_store_looks_like_run(path));
    if (rft_store_load(&back, path, &err)) {
        fail_msg("%s", err.message);
    }
    assert_runs_equal(back, run, 1e-8);
    assert_non_null(back->package);
    assert_string_equal(back->package->digest, digest);
    assert_string_equal(back->package->mixes, MIXES);
    assert_null(run->package);
    rft_str one = package_of(run, digest), other = package_of(run, again);
    assert_string_equal(digest, again);
    assert_int_equal(one.length, other.length);
    assert_memory_equal(one.data, other.data, one.length);
    assert_int_equal(one.length % BLOCK, 0);
    rft_str_clear(&one);
    rft_str_clear(&other);
    rft_run_free(back);
    rft_run_free(run);
}

/* One wrong bit anywhere, in files, headers or between them, is seen. */
static void damage_is_seen_wherever_it_is(void **state) {
    (void)state;
    char digest[RFT_HASH_HEX_SIZE];
    rft_run *run = sample_run_new();
    rft_str bytes = package_of(run, digest);
    assert_string_equal(fault_of(bytes.data, bytes.length), "");
    for (size_t at = 0; at < bytes.length; at += at < 2 * BLOCK ? 1 : 61) {
        bytes.data[at] ^= 1;
        if (!*fault_of(bytes.data, bytes.length)) {
            fail_msg("byte %zu of %zu was changed and it was not seen", at, bytes.length);
        }
        bytes.data[at] ^= 1;
    }
    for (size_t size = 0; size < bytes.length - 4 * BLOCK; size += 509) {
        if (!*fault_of(bytes.data, size)) {
            fail_msg("cut to %zu bytes it is taken", size);
        }
    }
    rft_str_clear(&bytes);
    rft_run_free(run);
}

static void sign(char *header) {
    unsigned sum = 0;
    memset(header + SUM_AT, ' ', 8);
    for (int i = 0; i < BLOCK; i++) {
        sum += (unsigned char)header[i];
    }
    rft_text_format(header + SUM_AT, 7, "%06o", sum);
}

/* Headers with right sums, as a hostile archive has them. Nothing of it is written anywhere, and no name is printed
 * raw. */
static void other_archives(void **state) {
    (void)state;
    static const struct {
        int at, length;
        const char *text, *message;
    } cases[] = {
        {NAME_AT, 17, "../../etc/passwd", "holds \"../../etc/passwd\", which no package of rooftune does"},
        {NAME_AT, 12, "/etc/passwd", "holds \"/etc/passwd\""},
        {NAME_AT, 28, "rooftune-package/../run.json", "which no package"},
        {NAME_AT, 8, "run.json", "which no package"},
        {NAME_AT, 6, "\x1b[31mx", "holds \"\\u001b[31m"},
        {NAME_AT, 26, "rooftune-package/run.json", "holds a file twice"},
        {TYPE_AT, 1, "2", "which no package"},
        {TYPE_AT, 1, "5", "which no package"},
        {TYPE_AT, 1, "x", "which no package"},
        {PREFIX_AT, 2, "a", "which no package"},
        {SIZE_AT, 11, "77777777777", "is truncated"},
        {SIZE_AT, 1, "\x80", "is truncated"},
        {SIZE_AT, 1, "-", "is truncated"},
    };
    char digest[RFT_HASH_HEX_SIZE];
    rft_run *run = sample_run_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_str bytes = package_of(run, digest);
        memcpy(bytes.data + cases[i].at, cases[i].text, (size_t)cases[i].length);
        sign(bytes.data);
        has(fault_of(bytes.data, bytes.length), cases[i].message);
        assert_null(strchr(fault_of(bytes.data, bytes.length), '\x1b'));
        rft_str_clear(&bytes);
    }
    rft_run_free(run);
}

/* Where each file's header stands. */
static size_t header_of(const rft_str *bytes, const char *name) {
    size_t at = 0;
    while (strcmp(bytes->data + at + strlen(RFT_PACKAGE_FOLDER), name) != 0) {
        size_t length = strtoul(bytes->data + at + SIZE_AT, NULL, 8);
        at += BLOCK + (length + BLOCK - 1) / BLOCK * BLOCK;
        assert_true(at + BLOCK <= bytes->length);
    }
    return at;
}

/* A file that is changed names itself. Whoever makes the sums anew is believed, and has another digest. */
static void what_sums_can_tell(void **state) {
    (void)state;
    char digest[RFT_HASH_HEX_SIZE], forged_digest[RFT_HASH_HEX_SIZE];
    rft_run *run = sample_run_new();
    rft_str bytes = package_of(run, digest);
    static const char *const names[] = {"run.json", "mix.json", "README.md"};
    for (size_t i = 0; i < 3; i++) {
        char *first = bytes.data + header_of(&bytes, names[i]) + BLOCK, kept = *first;
        *first = ' ';
        has(fault_of(bytes.data, bytes.length), names[i]);
        has(fault_of(bytes.data, bytes.length), "is not what its checksum says: it was damaged or changed");
        *first = kept;
    }
    char *sums = bytes.data + BLOCK;
    *strchr(sums, '\n') = ' ';
    assert_true(*fault_of(bytes.data, bytes.length));
    rft_str_clear(&bytes);
    rft_str forged = RFT_STR_INIT;
    run->info.command = "another command";
    rft_package_bytes(&(rft_package_parts){run, MIXES, "# A page\n"}, &forged, forged_digest);
    assert_string_equal(fault_of(forged.data, forged.length), "");
    assert_string_not_equal(digest, forged_digest);
    /* One without its list, and one without its run. */
    forged.data[header_of(&forged, "SHA256SUMS") + strlen(RFT_PACKAGE_FOLDER)] = 'T';
    sign(forged.data);
    has(fault_of(forged.data, forged.length), "THA256SUMS");
    rft_str_clear(&forged);
    rft_run_free(run);
}

static void too_much(void **state) {
    (void)state;
    const char *path = temporary_path(0, "bomb.tar.gz");
    char digest[RFT_HASH_HEX_SIZE];
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *back = NULL;
    rft_str bytes = package_of(run, digest), long_mix = RFT_STR_INIT;
    /* Half a kilobyte a megabyte: zeros behind the archive. */
    size_t size = ((size_t)64 << 20) + BLOCK;
    char *bomb = calloc(1, size);
    memcpy(bomb, bytes.data, bytes.length);
    assert_int_equal(rft_fs_write_gzip(path, bomb, size, &err), 0);
    assert_int_equal(rft_store_load(&back, path, &err), RFT_E_LIMIT);
    assert_null(back);
    free(bomb);
    for (size_t i = 0; i <= RFT_PACKAGE_MIX_BYTES; i++) {
        rft_str_add_char(&long_mix, ' ');
    }
    const rft_package_parts parts = {run, rft_str_get(&long_mix), NULL};
    assert_int_equal(rft_package_write(&parts, temporary_path(1, "x.tar.gz"), digest, &err), RFT_E_LIMIT);
    rft_str_truncate(&bytes, 0);
    rft_package_bytes(&parts, &bytes, digest);
    has(fault_of(bytes.data, bytes.length), "mix.json is longer than any mix");
    rft_str_clear(&long_mix);
    rft_str_clear(&bytes);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_package_comes_back),
        cmocka_unit_test(damage_is_seen_wherever_it_is),
        cmocka_unit_test(other_archives),
        cmocka_unit_test(what_sums_can_tell),
        cmocka_unit_test(too_much),
    };
    return cmocka_run_group_tests(tests, NULL, remove_temporary_paths);
}
