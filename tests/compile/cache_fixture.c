/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/cache_fixture.h"

#include "base/clock.h"
#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

static const char *names[] = {"k", "k2<1>"};
static const char *options[] = {"-DA=1", "-DB=2"};

/* ---- the compiler behind the cache ---- */
static uint64_t text_number(const rft_compile_request *request) {
    const char *text = request->source_text ? request->source_text : "";
    return rft_hash_fnv1a(text, strlen(text));
}

/* The first bytes name the source, so that another's code is noticed; the rest is noise. */
static char *make_code(const counting_compiler *self, const rft_compile_request *request, rft_arena *arena) {
    char *code = rft_arena_calloc(arena, self->code_bytes + 1, 1);
    uint64_t state = text_number(request);
    for (size_t i = 0; i < self->code_bytes; i += sizeof state) {
        uint64_t word = rft_random_next(&state);
        size_t part = self->code_bytes - i < sizeof word ? self->code_bytes - i : sizeof word;
        memcpy(code + i, &word, part);
    }
    return code;
}

static int counting_compile(rft_compiler *base, const rft_compile_request *request, rft_arena *arena,
                            rft_compile_result *out, rft_err *err) {
    (void)err;
    counting_compiler *self = (counting_compiler *)base;
    const rft_clock *clock = rft_clock_system();
    atomic_fetch_add(&self->counts->begun, 1);
    if (self->takes_ns) {
        clock->sleep_ns(clock->self, self->takes_ns);
    }
    atomic_fetch_add(&self->counts->compiles, 1);
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
    out->cubin = make_code(self, request, arena);
    out->cubin_bytes = self->code_bytes;
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

/* ---- the fixture ---- */
static void take_line(void *self, rft_log_level level, const char *text) {
    cache_fixture *f = self;
    if (level == RFT_LOG_WARN) {
        f->warnings++;
        snprintf(f->last_warning, sizeof f->last_warning, "%s", text);
    }
}

int cache_set_up(void **state) {
    cache_fixture *f = rft_alloc(sizeof *f);
    f->inner = (counting_compiler){.base = {.compile = counting_compile,
                                            .version = counting_version,
                                            .knows_arch = counting_knows,
                                            .free = counting_free},
                                   .release = "13.0.88",
                                   .code_bytes = 13};
    f->inner.counts = mmap(NULL, sizeof *f->inner.counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (f->inner.counts == MAP_FAILED || !scratch_open(&f->s)) {
        return -1;
    }
    f->log = (rft_log){.line = take_line, .self = f};
    f->arena = rft_arena_new();
    f->folder = rft_fs_join(f->s.folder, "cache/below");
    f->source = scratch_write(&f->s, "k.cu", "#include \"value.cuh\"\n__global__ void k() {}\n");
    free(scratch_write(&f->s, "value.cuh", "#define VALUE 1\n"));
    f->opts = (rft_compile_cache_opts){.folder = f->folder, .log = &f->log};
    cache_reopen(f);
    *state = f;
    return 0;
}

int cache_tear_down(void **state) {
    cache_fixture *f = *state;
    f->cache->free(f->cache);
    int rc = f->inner.freed ? 0 : -1;
    munmap(f->inner.counts, sizeof *f->inner.counts);
    scratch_remove(f->s.folder);
    rft_arena_free(f->arena);
    free(f->folder);
    free(f->source);
    free(f);
    return rc;
}

void cache_reopen(cache_fixture *f) {
    if (f->cache) {
        f->cache->free(f->cache);
    }
    f->cache = rft_compile_cache_new(&f->inner.base, &f->opts);
    assert_non_null(f->cache);
}

int cache_compiles(const cache_fixture *f) {
    return atomic_load(&f->inner.counts->compiles);
}

rft_compile_request cache_request(const cache_fixture *f) {
    return (rft_compile_request){.source_name = "k.cu",
                                 .source_path = f->source,
                                 .names = names,
                                 .name_count = 2,
                                 .options = options,
                                 .option_count = 2,
                                 .arch = "sm_90a"};
}

rft_compile_request cache_request_of_text(cache_fixture *f, int n) {
    rft_compile_request request = cache_request(f);
    request.source_text = rft_arena_printf(f->arena, "__global__ void k%d() {}\n", n);
    return request;
}

rft_compile_result cache_ask(cache_fixture *f, const rft_compile_request *request) {
    rft_compile_result result;
    rft_err err = RFT_ERR_INIT;
    if (f->cache->compile(f->cache, request, f->arena, &result, &err) != 0) {
        fail_msg("%s", err.message);
    }
    return result;
}

bool cache_is_right(const cache_fixture *f, const rft_compile_request *request, const rft_compile_result *result) {
    return result->ok && result->cubin_bytes == f->inner.code_bytes && result->entry_count == request->name_count &&
           memcmp(result->cubin, make_code(&f->inner, request, f->arena), f->inner.code_bytes) == 0;
}

/* ---- the folder ---- */
size_t cache_count_files(const cache_fixture *f, const char *suffix) {
    char **files = NULL;
    size_t count = 0;
    assert_int_equal(rft_fs_list(&files, &count, f->folder, suffix, NULL), 0);
    rft_fs_list_free(files, count);
    return count;
}

uint64_t cache_total_bytes(const cache_fixture *f) {
    char **files = NULL;
    size_t count = 0;
    uint64_t total = 0;
    assert_int_equal(rft_fs_list(&files, &count, f->folder, ".rftc", NULL), 0);
    for (size_t i = 0; i < count; i++) {
        struct stat status;
        char *path = rft_fs_join(f->folder, files[i]);
        total += stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
        free(path);
    }
    rft_fs_list_free(files, count);
    return total;
}

char *cache_only_entry(const cache_fixture *f) {
    char **files = NULL;
    size_t count = 0;
    assert_int_equal(rft_fs_list(&files, &count, f->folder, ".rftc", NULL), 0);
    assert_int_equal(count, 1);
    char *path = rft_fs_join(f->folder, files[0]);
    rft_fs_list_free(files, count);
    return path;
}

void cache_age(const char *path, int64_t seconds) {
    struct timespec then = {.tv_sec = time(NULL) - (time_t)seconds};
    const struct timespec times[2] = {then, then};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

void cache_age_stamp(const cache_fixture *f) {
    char *path = rft_fs_join(f->folder, ".lock");
    cache_age(path, 86400);
    free(path);
}
