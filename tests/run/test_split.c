/* SPDX-License-Identifier: Apache-2.0 */
/* Eight scripted cards divide a run while it goes on: one is killed with a configuration in hand, and one configuration
 * hangs. */
#include "run/board.h"
#include "run/scene.h"
#include "run/split.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CARDS = 8, SPEEDS = 40, DOOMED = 3 };

typedef struct fleet {
    scene scene;
    rft_board *board;
    int fd;
    pid_t cards[CARDS];
} fleet;

static void die(void *payload, const rft_exec_progress *now) {
    (void)payload;
    if (now->done >= 3) {
        raise(SIGKILL);
    }
}

static void start(fleet *f, unsigned card) {
    f->cards[card] = fork();
    assert_true(f->cards[card] >= 0);
    if (f->cards[card] == 0) {
        char path[32], name[16];
        rft_board *board = NULL;
        scene *s = &f->scene;
        snprintf(path, sizeof path, "/dev/fd/%d", f->fd);
        snprintf(name, sizeof name, "%u.db", card);
        scene_workers(s, 1);
        if (rft_board_open(&board, path, card, &s->err) != RFT_OK) {
            _exit(2);
        }
        s->opts.board = board;
        s->opts.shard = (rft_shard){card + 1, CARDS};
        s->progress_hook = card == DOOMED ? die : NULL;
        const int rc = scene_session(s, name, 1);
        _exit(rc == RFT_OK ? 0 : 1);
    }
}

static void watch(fleet *f) {
    for (unsigned left = CARDS; left > 0; left--) {
        int status = 0;
        const pid_t ended = waitpid(-1, &status, 0);
        for (unsigned c = 0; c < CARDS; c++) {
            if (f->cards[c] == ended) {
                rft_board_mark_gone(f->board, c);
                assert_true(c == DOOMED ? WIFSIGNALED(status) : WIFEXITED(status) && WEXITSTATUS(status) == 0);
            }
        }
    }
}

typedef struct tally {
    unsigned cards[SPEEDS]; /* that have timed it */
    unsigned hung, most;    /* cards that it hung; points of the card that has most */
} tally;

static void count_card(fleet *f, unsigned card, tally *t) {
    char name[16];
    snprintf(name, sizeof name, "%u.db", card);
    const rft_run *run = scene_load(&f->scene, name);
    scene_expect_once(run);
    t->most = run->point_count > t->most ? (unsigned)run->point_count : t->most;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        t->hung += point->outcome == RFT_OUTCOME_TIMED_OUT;
        if (point->sweep == 0) {
            assert_int_equal(point->outcome, RFT_OUTCOME_OK);
            t->cards[(point->config[PARAM_SPEED].as.integer - 100) / 10]++;
        }
    }
}

static void test_eight_cards(void **state) {
    (void)state;
    fleet f = {.fd = -1};
    scripted_sweep_opts opts = {.fates = {"ok"}};
    rft_err err = RFT_ERR_INIT;
    tally t = {0};
    for (int i = 0; i < SPEEDS; i++) {
        opts.speeds[i] = 100 + i * 10;
    }
    scene_open(&f.scene, 1);
    scene_sweep(&f.scene, &opts);
    rft_sweep *hung = scene_sweep(&f.scene, &(scripted_sweep_opts){.name = "hung", .fates = {"hangs"}});
    hung->measure.point_timeout_s = 0.2;
    assert_int_equal(rft_board_make(&f.board, &f.fd, CARDS, &err), RFT_OK);
    for (unsigned c = 0; c < CARDS; c++) {
        start(&f, c);
    }
    watch(&f);
    for (unsigned c = 0; c < CARDS; c++) {
        count_card(&f, c, &t);
    }
    unsigned missing = 0, by_several = 0;
    for (int i = 0; i < SPEEDS; i++) {
        missing += t.cards[i] == 0;
        by_several += t.cards[i] > 1;
    }
    assert_in_range(missing, 0, 1); /* what the killed one had in hand */
    assert_int_equal(t.hung, 1);
    /* Common ones, the best (the next is 10 % slower), the default. */
    assert_in_range(by_several, 3, 3 + 2);
    assert_in_range(t.cards[0], CARDS - 1, CARDS);
    assert_in_range(t.most, 1, SPEEDS * 3 / 4); /* on a busy host one may be much ahead */
    rft_board_close(f.board);
    close(f.fd);
    scene_close(&f.scene);
}

/* Begins twice when the last of the living is there: the second card comes late, the third never. */
static void meet(int fd, unsigned card, double late_s) {
    char path[32];
    rft_board *board = NULL;
    rft_err err = RFT_ERR_INIT;
    bool stopped = false, in_time = true;
    const rft_exec_opts opts = {.clock = rft_clock_system()};
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    if (rft_board_open(&board, path, card, &err) != RFT_OK || card == 2) {
        _exit(card == 2 ? 0 : 2);
    }
    for (int round = 0; round < 2; round++) {
        const double begun_s = scene_now_s();
        scene_sleep_s(late_s);
        in_time = in_time && rft_split_meet(&opts, board, 30, &stopped);
        in_time = in_time && (late_s > 0 || round == 1 || scene_now_s() - begun_s > 0.1);
    }
    _exit(in_time && !stopped ? 0 : 1);
}

static void test_begin_at_once(void **state) {
    (void)state;
    rft_board *board = NULL;
    rft_err err = RFT_ERR_INIT;
    pid_t cards[3];
    int fd = -1, status = 0;
    assert_int_equal(rft_board_make(&board, &fd, 3, &err), RFT_OK);
    for (unsigned c = 0; c < 3; c++) {
        cards[c] = fork();
        assert_true(cards[c] >= 0);
        if (cards[c] == 0) {
            meet(fd, c, c == 1 ? 0.15 : 0);
        }
    }
    assert_int_equal(waitpid(cards[2], &status, 0), cards[2]);
    rft_board_mark_gone(board, 2);
    for (unsigned c = 0; c < 2; c++) {
        assert_int_equal(waitpid(cards[c], &status, 0), cards[c]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    rft_board_close(board);
    close(fd);
}

static rft_split *open_split(scene *s, int fd, unsigned card, rft_exec_opts *opts) {
    char path[32];
    rft_split *split = NULL;
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    assert_int_equal(rft_board_open(&opts->board, path, card, &s->err), RFT_OK);
    assert_int_equal(rft_split_new(&split, opts, NULL, &s->err), RFT_OK);
    return split;
}

/* Two parts. The second card is slower by half: what the first reached counts for it, by the common configurations. */
static void test_race_across_cards(void **state) {
    (void)state;
    const rft_job_place first = {0, 0, 0}, second = {1, 0, 0};
    scene s;
    scene_open(&s, 1);
    scripted_sweep_opts opts = {.fates = {"ok"}};
    for (int i = 0; i < SPEEDS; i++) {
        opts.speeds[i] = 100 + i * 10;
    }
    const rft_sweep *sweeps[] = {scene_sweep(&s, &opts),
                                 scene_sweep(&s, &(scripted_sweep_opts){.name = "other", .fates = {"ok"}})};
    rft_plan *plan = NULL;
    rft_board *board = NULL;
    int fd = -1;
    assert_int_equal(rft_plan_new(&plan, sweeps, 2, NULL, &s.err), RFT_OK);
    assert_int_equal(rft_board_make(&board, &fd, 2, &s.err), RFT_OK);
    rft_exec_opts fast_opts = {.plan = plan}, slow_opts = {.plan = plan};
    rft_split *fast = open_split(&s, fd, 0, &fast_opts), *slow = open_split(&s, fd, 1, &slow_opts);

    assert_false(isfinite(rft_split_part_rival(fast, first).seconds));
    rft_split_put_time(fast, first, 2e-3, 1500);
    assert_float_equal(rft_split_part_rival(fast, first).seconds, 2e-3, 1e-9);
    assert_float_equal(rft_split_part_rival(fast, first).clock_mhz, 1500, 0);
    rft_split_put_time(fast, first, 2.1e-3, 1400); /* as of a contender: the best stays */
    assert_float_equal(rft_split_part_rival(fast, first).seconds, 2e-3, 1e-9);
    assert_false(isfinite(rft_split_part_rival(slow, first).seconds)); /* nothing compares the two cards yet */
    for (size_t i = 0; i < RFT_SPLIT_COMMON_LEAST; i++) {
        rft_board_put_common(fast_opts.board, i, 4e-3);
        rft_board_put_common(slow_opts.board, i, 6e-3);
    }
    assert_float_equal(rft_split_part_rival(slow, first).seconds, 3e-3 * (1 + RFT_SPLIT_RIVAL_FRAC), 1e-9);
    assert_false(isfinite(rft_split_part_rival(slow, second).seconds));
    rft_split_put_time(slow, first, 2.5e-3, 1600); /* its own, as it is */
    assert_float_equal(rft_split_problem_rival(slow, first).seconds, 2.5e-3, 1e-9);
    assert_float_equal(rft_split_problem_rival(slow, first).clock_mhz, 1600, 0);
    assert_float_equal(rft_split_part_rival(fast, first).seconds, 2.5e-3 / 1.5 * (1 + RFT_SPLIT_RIVAL_FRAC), 1e-9);

    rft_split_free(fast);
    rft_split_free(slow);
    rft_board_close(fast_opts.board);
    rft_board_close(slow_opts.board);
    rft_board_close(board);
    close(fd);
    rft_plan_free(plan);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_eight_cards), cmocka_unit_test(test_begin_at_once),
                                       cmocka_unit_test(test_race_across_cards)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
