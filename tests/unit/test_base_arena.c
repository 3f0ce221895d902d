/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void memory_is_zeroed_aligned_and_apart(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    unsigned char *blocks[300];
    for (size_t i = 0; i < 300; i++) {
        size_t size = i * 37;
        blocks[i] = rft_arena_alloc(arena, size);
        assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
        for (size_t j = 0; j < size; j++) {
            assert_int_equal(blocks[i][j], 0);
        }
        memset(blocks[i], (int)(i & 255), size);
    }
    for (size_t i = 1; i < 300; i++) {
        assert_int_equal(blocks[i][0], i & 255);
        assert_int_equal(blocks[i][i * 37 - 1], i & 255);
    }
    assert_int_equal(rft_arena_used_bytes(arena), 37 * 299 * 300 / 2);
    rft_arena_free(arena);
    rft_arena_free(NULL);
}

static void reset_gives_zeroed_memory_again(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    void *first = rft_arena_alloc(arena, 100);
    memset(first, 0xFF, 100);
    memset(rft_arena_alloc(arena, 100000), 0xFF, 100000);
    rft_arena_reset(arena);
    assert_int_equal(rft_arena_used_bytes(arena), 0);
    unsigned char *again = rft_arena_alloc(arena, 100);
    assert_ptr_equal(again, first); /* the first block is kept */
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(again[i], 0);
    }
    rft_arena_free(arena);
}

typedef struct release_log {
    int order[4];
    int count;
} release_log;

typedef struct release_item {
    release_log *log;
    int id;
} release_item;

static void note_release(void *payload) {
    const release_item *item = payload;
    item->log->order[item->log->count++] = item->id;
}

static void releases_run_last_first_and_once(void **state) {
    (void)state;
    release_log log = {0};
    rft_arena *arena = rft_arena_new();
    for (int i = 0; i < 3; i++) {
        release_item *item = rft_arena_alloc(arena, sizeof *item);
        *item = (release_item){&log, i};
        rft_arena_on_free(arena, note_release, item);
    }
    rft_arena_reset(arena);
    assert_int_equal(log.count, 3);
    assert_int_equal(log.order[0], 2);
    assert_int_equal(log.order[2], 0);
    rft_arena_free(arena);
    assert_int_equal(log.count, 3);
}

static void copies(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    assert_null(rft_arena_strdup(arena, NULL));
    assert_string_equal(rft_arena_strdup(arena, "abc"), "abc");
    assert_string_equal(rft_arena_strndup(arena, "abcdef", 3), "abc");
    assert_string_equal(rft_arena_strndup(arena, "ab", 30), "ab");
    assert_memory_equal(rft_arena_memdup(arena, "a\0b", 3), "a\0b", 3);
    char expected[2000];
    memset(expected, 'x', sizeof expected - 1);
    expected[sizeof expected - 1] = '\0';
    assert_string_equal(rft_arena_printf(arena, "%s", expected), expected);
    rft_arena_free(arena);
    char *heap = rft_strdup("heap");
    assert_string_equal(heap, "heap");
    free(heap);
    assert_null(rft_strdup(NULL));
}

static void grow_doubles_and_keeps_content(void **state) {
    (void)state;
    int *items = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 1000; i++) {
        RFT_GROW(items, capacity, i + 1);
        items[i] = i;
    }
    assert_int_equal(capacity, 1024);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(items[i], i);
    }
    free(items);
}

static void arrays_in_an_arena_grow_and_keep_content(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    int *grown = NULL, *doubled = NULL;
    size_t capacity = 0;
    for (size_t i = 0; i < 1000; i++) {
        grown = rft_arena_grown(arena, grown, i, &capacity, sizeof *grown);
        doubled = rft_arena_doubled(arena, doubled, i, sizeof *doubled);
        assert_true(grown[i] == 0 && doubled[i] == 0);
        grown[i] = doubled[i] = (int)i + 1;
    }
    assert_int_equal(capacity, 1024);
    for (int i = 0; i < 1000; i++) {
        assert_true(grown[i] == i + 1 && doubled[i] == i + 1);
    }
    rft_arena_free(arena);
}

static void a_product_that_overflows_aborts(void **state) {
    (void)state;
    int out[2];
    assert_int_equal(pipe(out), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(out[1], STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        free(rft_calloc(SIZE_MAX / 2, 16));
        _exit(0);
    }
    int status = 0;
    char said[200] = {0};
    close(out[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(read(out[0], said, sizeof said - 1) > 0);
    close(out[0]);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    assert_non_null(strstr(said, "out of memory"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(reset_gives_zeroed_memory_again),
        cmocka_unit_test(releases_run_last_first_and_once),
        cmocka_unit_test(copies),
        cmocka_unit_test(grow_doubles_and_keeps_content),
        cmocka_unit_test(arrays_in_an_arena_grow_and_keep_content),
        cmocka_unit_test(a_product_that_overflows_aborts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
