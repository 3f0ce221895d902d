/* SPDX-License-Identifier: Apache-2.0 */
/* The cubin cache: what hits, what misses, and what a damaged or unwritable folder does. The compiler behind it is a
 * scripted one that counts, so nothing here needs NVRTC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compile/scratch_folder.h"
#include "gpu/compiler.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

typedef struct counting_compiler {
    rft_compiler base;
    int compiles;
    bool fails;
    bool freed;
    const char *release;
} counting_compiler;

static int counting_compile(rft_compiler *base, const rft_compile_request *request, rft_arena *arena,
                            rft_compile_result *out, rft_err *err) {
    (void)err;
    counting_compiler *self = (counting_compiler *)base;
    self->compiles++;
    *out = (rft_compile_result){.ok = !self->fails, .log = self->fails ? "broken" : "a warning"};
    if (self->fails) {
        return 0;
    }
    out->entries = rft_arena_calloc(arena, request->name_count, sizeof *out->entries);
    out->entry_count = request->name_count;
    for (size_t i = 0; i < request->name_count; i++) {
        out->entries[i] = (rft_compiled_entry){.name = request->names[i],
                                               .symbol = "_Zsymbol",
                                               .registers = 40 + (int)i,
                                               .spill_store_bytes = 4,
                                               .spill_load_bytes = 8,
                                               .stack_bytes = 16,
                                               .shared_bytes = 512,
                                               .barriers = 1};
    }
    out->cubin = rft_arena_memdup(arena, "code\0with NUL", 13);
    out->cubin_bytes = 13;
    memset(out->cubin_hash, 'a', 64);
    out->seconds = 0.25;
    return 0;
}

static const char *counting_version(rft_compiler *base) {
    return ((counting_compiler *)base)->release;
}

static bool counting_knows(rft_compiler *base, const char *arch) {
    (void)base;
    return strcmp(arch, "sm_90a") == 0;
}

static void counting_free(rft_compiler *base) {
    ((counting_compiler *)base)->freed = true;
}

typedef struct fixture {
    scratch s;
    counting_compiler inner;
    rft_compiler *cache;
    rft_arena *arena;
    char *folder;
    char *source;
    rft_log log;
    int warnings;
    char last_warning[512];
} fixture;

static void take_line(void *self, rft_log_level level, const char *text) {
    fixture *f = self;
    if (level == RFT_LOG_WARN) {
        f->warnings++;
        snprintf(f->last_warning, sizeof f->last_warning, "%s", text);
    }
}

static void open_cache(fixture *f, const char *folder) {
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_compile_cache_new(&f->cache, &f->inner.base, folder, &f->log, &err), 0);
}

static int set_up(void **state) {
    fixture *f = rft_alloc(sizeof *f);
    f->inner = (counting_compiler){.base = {.compile = counting_compile,
                                            .version = counting_version,
                                            .knows_arch = counting_knows,
                                            .free = counting_free},
                                   .release = "13.0.88"};
    f->log = (rft_log){.line = take_line, .self = f};
    f->arena = rft_arena_new();
    if (!scratch_open(&f->s)) {
        return -1;
    }
    f->folder = rft_fs_join(f->s.folder, "cache/below");
    f->source = scratch_write(&f->s, "k.cu", "#include \"value.cuh\"\n__global__ void k() {}\n");
    free(scratch_write(&f->s, "value.cuh", "#define VALUE 1\n"));
    open_cache(f, f->folder);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    f->cache->free(f->cache);
    int rc = f->inner.freed ? 0 : -1;
    scratch_remove(f->s.folder);
    rft_arena_free(f->arena);
    free(f->folder);
    free(f->source);
    free(f);
    return rc;
}

static const char *names[] = {"k", "k2<1>"};
static const char *options[] = {"-DA=1", "-DB=2"};

static rft_compile_request request_of(const fixture *f) {
    return (rft_compile_request){.source_name = "k.cu",
                                 .source_path = f->source,
                                 .names = names,
                                 .name_count = 2,
                                 .options = options,
                                 .option_count = 2,
                                 .arch = "sm_90a"};
}

static rft_compile_result compile(fixture *f, const rft_compile_request *request) {
    rft_compile_result result;
    rft_err err = RFT_ERR_INIT;
    if (f->cache->compile(f->cache, request, f->arena, &result, &err) != 0) {
        fail_msg("%s", err.message);
    }
    return result;
}

static char *only_entry(fixture *f) {
    char **files = NULL;
    size_t count = 0;
    assert_int_equal(rft_fs_list(&files, &count, f->folder, ".rftc", NULL), 0);
    assert_int_equal(count, 1);
    char *path = rft_fs_join(f->folder, files[0]);
    rft_fs_list_free(files, count);
    return path;
}

static void the_second_time_is_a_hit(void **state) {
    fixture *f = *state;
    rft_compile_request request = request_of(f);
    rft_compile_result first = compile(f, &request);
    assert_false(first.from_cache);
    rft_compile_result second = compile(f, &request);
    assert_int_equal(f->inner.compiles, 1);
    assert_true(second.from_cache);
    assert_true(second.ok);
    assert_string_equal(second.log, "a warning");
    assert_int_equal(second.cubin_bytes, 13);
    assert_memory_equal(second.cubin, "code\0with NUL", 13);
    assert_string_equal(second.cubin_hash, first.cubin_hash);
    assert_true(second.seconds == 0.25);
    assert_int_equal(second.entry_count, 2);
    assert_string_equal(second.entries[1].name, "k2<1>");
    assert_string_equal(second.entries[1].symbol, "_Zsymbol");
    assert_int_equal(second.entries[1].registers, 41);
    assert_int_equal(second.entries[1].spill_store_bytes, 4);
    assert_int_equal(second.entries[1].spill_load_bytes, 8);
    assert_int_equal(second.entries[1].stack_bytes, 16);
    assert_int_equal(second.entries[1].shared_bytes, 512);
    assert_int_equal(second.entries[1].barriers, 1);
    assert_string_equal(f->cache->version(f->cache), "13.0.88");
    assert_true(f->cache->knows_arch(f->cache, "sm_90a"));
    assert_false(f->cache->knows_arch(f->cache, "sm_80"));
    /* another object over the same folder, as another process would have */
    f->cache->free(f->cache);
    open_cache(f, f->folder);
    assert_true(compile(f, &request).from_cache);
}

static void everything_the_result_depends_on_is_in_the_key(void **state) {
    fixture *f = *state;
    rft_compile_request request = request_of(f);
    int compiles = 0;
#define MISSES()                                                                                                       \
    do {                                                                                                               \
        assert_false(compile(f, &request).from_cache);                                                                 \
        assert_int_equal(f->inner.compiles, ++compiles);                                                               \
    } while (0)
    MISSES();
    request.arch = "sm_100a";
    MISSES();
    request.name_count = 1;
    MISSES();
    request.option_count = 1;
    MISSES();
    static const char *const joined[] = {"-DA=1-DB=2"};
    request.options = joined;
    MISSES();
    f->inner.release = "13.0.99";
    MISSES();
    free(scratch_write(&f->s, "value.cuh", "#define VALUE 2\n"));
    MISSES();
    free(scratch_write(&f->s, "k.cu", "#include \"value.cuh\"\n__global__ void k(int) {}\n"));
    MISSES();
    request.source_name = "other.cu";
    MISSES();
    assert_true(compile(f, &request).from_cache);
    free(scratch_write(&f->s, "value.cuh", "#define VALUE 1\n#include \"inner.cuh\"\n"));
    MISSES();
    free(scratch_write(&f->s, "inner.cuh", "\n")); /* a header that appears */
    MISSES();
    assert_true(compile(f, &request).from_cache);
#undef MISSES
}

static void a_damaged_file_is_a_miss_and_mended(void **state) {
    fixture *f = *state;
    rft_compile_request request = request_of(f);
    compile(f, &request);
    char *path = only_entry(f);
    char *data = NULL;
    size_t size = 0;
    assert_int_equal(rft_fs_read(&data, &size, path, 0, NULL), 0);
    const size_t cuts[] = {0, 5, 95, 96, size / 2, size - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        assert_int_equal(rft_fs_write_atomic(path, data, cuts[i], NULL), 0);
        assert_false(compile(f, &request).from_cache);
        assert_true(compile(f, &request).from_cache);
    }
    for (size_t i = 0; i < size; i += 7) {
        data[i] ^= 1;
        assert_int_equal(rft_fs_write_atomic(path, data, size, NULL), 0);
        data[i] ^= 1;
        assert_false(compile(f, &request).from_cache);
    }
    free(data);
    free(path);
}

static void failures_are_not_kept(void **state) {
    fixture *f = *state;
    rft_compile_request request = request_of(f);
    f->inner.fails = true;
    assert_false(compile(f, &request).ok);
    assert_string_equal(compile(f, &request).log, "broken");
    assert_int_equal(f->inner.compiles, 2);
    f->inner.fails = false;
    assert_true(compile(f, &request).ok);
}

static void a_header_named_by_a_macro_is_not_cached(void **state) {
    fixture *f = *state;
    rft_compile_request request = request_of(f);
    request.source_text = "#define H \"value.cuh\"\n#include H\n";
    compile(f, &request);
    assert_false(compile(f, &request).from_cache);
}

static void a_folder_that_cannot_be_written_warns_once(void **state) {
    fixture *f = *state;
    char *blocked = scratch_write(&f->s, "file", "a file, no folder");
    f->cache->free(f->cache);
    open_cache(f, blocked);
    assert_int_equal(f->warnings, 1);
    assert_non_null(strstr(f->last_warning, "file"));
    rft_compile_request request = request_of(f);
    assert_true(compile(f, &request).ok);
    assert_false(compile(f, &request).from_cache);
    assert_int_equal(f->inner.compiles, 2);
    assert_int_equal(f->warnings, 1);
    free(blocked);
}

static void a_folder_that_goes_away_warns_once(void **state) {
    fixture *f = *state;
    rft_compile_request request = request_of(f);
    scratch_remove(f->folder);
    assert_true(compile(f, &request).ok);
    assert_true(compile(f, &request).ok);
    assert_int_equal(f->warnings, 1);
    assert_int_equal(f->inner.compiles, 2);
}

/* Sparse files make the folder look a gigabyte too large; the oldest go, the newest stay. */
static void the_oldest_make_room(void **state) {
    fixture *f = *state;
    char *paths[3];
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "cache/below/%d.rftc", i);
        paths[i] = scratch_write(&f->s, name, "x");
        assert_int_equal(truncate(paths[i], 450000000), 0);
        struct timespec times[2] = {{.tv_sec = 1000000 + i}, {.tv_sec = 1000000 + i}};
        assert_int_equal(utimensat(-100, paths[i], times, 0), 0); /* -100 = AT_FDCWD: the paths are absolute */
    }
    f->cache->free(f->cache);
    open_cache(f, f->folder);
    assert_false(rft_fs_exists(paths[0]));
    assert_true(rft_fs_exists(paths[1]));
    assert_true(rft_fs_exists(paths[2]));
    for (int i = 0; i < 3; i++) {
        free(paths[i]);
    }
}

static void two_processes_share_a_folder(void **state) {
    fixture *f = *state;
    rft_compile_request request = request_of(f);
    pid_t children[2];
    for (int c = 0; c < 2; c++) {
        children[c] = fork();
        assert_true(children[c] >= 0);
        if (children[c] == 0) {
            bool ok = true;
            for (int i = 0; i < 200; i++) {
                char text[64];
                snprintf(text, sizeof text, "__global__ void k%d() {}\n", i % 20);
                request.source_text = text;
                rft_compile_result result = compile(f, &request);
                ok = ok && result.ok && result.cubin_bytes == 13 && memcmp(result.cubin, "code", 5) == 0;
            }
            _exit(ok && f->warnings == 0 && f->inner.compiles <= 20 ? 0 : 1);
        }
    }
    for (int c = 0; c < 2; c++) {
        int status = 0;
        assert_int_equal(waitpid(children[c], &status, 0), children[c]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_second_time_is_a_hit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(everything_the_result_depends_on_is_in_the_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_file_is_a_miss_and_mended, set_up, tear_down),
        cmocka_unit_test_setup_teardown(failures_are_not_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_header_named_by_a_macro_is_not_cached, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_that_cannot_be_written_warns_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_that_goes_away_warns_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_oldest_make_room, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_processes_share_a_folder, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
