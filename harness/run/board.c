/* SPDX-License-Identifier: Apache-2.0 */
#include "run/board.h"

#include "base/arena.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC 0x7264656974666f6fULL

enum { FREE = 0, ASKED = 1, TAKEN = 2, DONE = 3 };

typedef struct board_slot {
    _Atomic uint32_t state; /* FREE, or what it is and above that the card */
    double seconds;         /* of one that is done */
} board_slot;

typedef struct card_row {
    _Atomic uint32_t arrived, gone;
    double common_s[RFT_BOARD_COMMONS]; /* 0: not known */
} card_row;

typedef struct shared {
    uint64_t magic;
    uint32_t cards;
    _Atomic uint64_t slots, pulse;
    card_row rows[RFT_BOARD_CARDS];
    board_slot first[];
} shared;

struct rft_board {
    shared *memory;
    size_t bytes;
    uint64_t parts;
    int fd;
    unsigned card;
};

/* Two floats in a word that is read whole; 0: none. */
typedef union best_word {
    struct {
        float seconds, clock_mhz;
    } best;
    uint64_t bits;
} best_word;

static uint32_t word(uint32_t kind, unsigned card) {
    return kind | (uint32_t)card << 8;
}

static int failed(rft_err *err, const char *what) {
    rft_err_set(err, RFT_E_IO, "the memory that cards divide a run by cannot be %s: %s", what, strerror(errno));
    return rft_err_remedy(err, "check the limit of shared memory, or divide by files: --shard K/N");
}

static int map(rft_board *board, size_t bytes, rft_err *err) {
    if (board->memory) {
        munmap(board->memory, board->bytes);
    }
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, board->fd, 0);
    board->memory = memory == MAP_FAILED ? NULL : memory;
    board->bytes = bytes;
    return board->memory ? RFT_OK : failed(err, "mapped");
}

int rft_board_make(rft_board **out, int *fd, unsigned cards, rft_err *err) {
    rft_board *board = rft_calloc(1, sizeof *board);
    *out = board;
    board->fd = memfd_create("rooftune-board", MFD_CLOEXEC);
    *fd = board->fd >= 0 ? fcntl(board->fd, F_DUPFD, 10) : -1; /* this one is inherited */
    if (*fd < 0 || ftruncate(board->fd, (off_t)sizeof(shared)) != 0) {
        return failed(err, "made");
    }
    int rc = map(board, sizeof(shared), err);
    if (rc == RFT_OK) {
        board->memory->magic = MAGIC;
        board->memory->cards = cards;
    }
    return rc;
}

int rft_board_open(rft_board **out, const char *path, unsigned card, rft_err *err) {
    struct stat status;
    rft_board *board = rft_calloc(1, sizeof *board);
    *out = board;
    board->card = card;
    board->fd = open(path, O_RDWR | O_CLOEXEC);
    if (board->fd < 0) {
        return failed(err, "opened");
    }
    if (rft_text_starts(path, "/dev/fd/")) { /* what was inherited is not for the workers */
        fcntl(atoi(path + strlen("/dev/fd/")), F_SETFD, FD_CLOEXEC);
    }
    bool fits = fstat(board->fd, &status) == 0 && status.st_size >= (off_t)sizeof(shared);
    int rc = fits ? map(board, sizeof(shared), err) : RFT_OK;
    if (rc == RFT_OK && (!fits || board->memory->magic != MAGIC || card >= board->memory->cards)) {
        rft_err_set(err, RFT_E_USAGE, "%s is not what `run --split` shares with its cards", path);
        rc = rft_err_remedy(err, "give --shard K/N alone; --split divides a run among the cards of one host");
    }
    return rc;
}

void rft_board_close(rft_board *board) {
    if (!board) {
        return;
    }
    if (board->memory) {
        munmap(board->memory, board->bytes);
    }
    if (board->fd >= 0) {
        close(board->fd);
    }
    free(board);
}

int rft_board_size(rft_board *board, uint64_t slots, uint64_t parts, rft_err *err) {
    if (slots > RFT_BOARD_SLOTS) {
        rft_err_set(err, RFT_E_LIMIT, "%llu configurations are more than --split divides, %llu",
                    (unsigned long long)slots, (unsigned long long)RFT_BOARD_SLOTS);
        return rft_err_remedy(err, "name a part (--at, --set), or search without --split");
    }
    uint64_t before = 0;
    if (!atomic_compare_exchange_strong(&board->memory->slots, &before, slots) && before != slots) {
        rft_err_set(err, RFT_E_SPACE, "this card has %llu configurations, and another card of the run %llu",
                    (unsigned long long)slots, (unsigned long long)before);
        return rft_err_remedy(err, "--split takes cards of one model");
    }
    const size_t bests = (size_t)parts * board->memory->cards * sizeof(best_word);
    const size_t bytes = sizeof(shared) + (size_t)slots * sizeof(board_slot) + bests;
    board->parts = parts;
    struct stat status;
    if (fstat(board->fd, &status) != 0 ||
        (status.st_size < (off_t)bytes && ftruncate(board->fd, (off_t)bytes) != 0)) { /* all grow it to the same */
        return failed(err, "enlarged");
    }
    return map(board, bytes, err);
}

unsigned rft_board_card(const rft_board *board) {
    return board->card;
}

unsigned rft_board_cards(const rft_board *board) {
    return board->memory->cards;
}

static bool change(rft_board *board, uint64_t at, uint32_t from, uint32_t to) {
    const bool changed = atomic_compare_exchange_strong(&board->memory->first[at].state, &from, to);
    if (changed) {
        atomic_fetch_add(&board->memory->pulse, 1);
    }
    return changed;
}

bool rft_board_ask(rft_board *board, uint64_t at, bool steal) {
    const uint32_t now = atomic_load(&board->memory->first[at].state);
    const bool another = (now & 0xff) == ASKED && now >> 8 != board->card;
    return (now == FREE || (steal && another)) && change(board, at, now, word(ASKED, board->card));
}

bool rft_board_take(rft_board *board, uint64_t at) {
    const uint32_t now = atomic_load(&board->memory->first[at].state);
    return (now == FREE || now == word(ASKED, board->card)) && change(board, at, now, word(TAKEN, board->card));
}

void rft_board_done(rft_board *board, uint64_t at, double seconds) {
    board_slot *s = &board->memory->first[at];
    if (atomic_load(&s->state) == word(TAKEN, board->card)) {
        s->seconds = seconds;
        change(board, at, word(TAKEN, board->card), word(DONE, board->card));
    }
}

bool rft_board_look(const rft_board *board, uint64_t at, unsigned *card, double *seconds) {
    const uint32_t now = atomic_load(&board->memory->first[at].state);
    *card = (now >> 8) % RFT_BOARD_CARDS;
    *seconds = board->memory->first[at].seconds;
    return (now & 0xff) == DONE;
}

void rft_board_put_common(rft_board *board, size_t common, double seconds) {
    if (common < RFT_BOARD_COMMONS) {
        board->memory->rows[board->card].common_s[common] = seconds;
    }
}

double rft_board_common(const rft_board *board, unsigned card, size_t common) {
    const double seconds = common < RFT_BOARD_COMMONS ? board->memory->rows[card].common_s[common] : 0;
    return seconds > 0 ? seconds : (double)NAN;
}

/* Behind the slots, a card's row after the other. */
static _Atomic uint64_t *best_of(const rft_board *board, unsigned card, uint64_t part) {
    _Atomic uint64_t *bests = (_Atomic uint64_t *)&board->memory->first[atomic_load(&board->memory->slots)];
    return &bests[card * board->parts + part];
}

void rft_board_put_best(rft_board *board, uint64_t part, double seconds, double clock_mhz) {
    const best_word word = {.best = {(float)seconds, (float)clock_mhz}};
    atomic_store(best_of(board, board->card, part), word.bits);
}

bool rft_board_best(const rft_board *board, unsigned card, uint64_t part, double *seconds, double *clock_mhz) {
    const best_word word = {.bits = atomic_load(best_of(board, card, part))};
    *seconds = word.best.seconds;
    *clock_mhz = word.best.clock_mhz;
    return word.best.seconds > 0;
}

unsigned rft_board_arrive(rft_board *board) {
    return atomic_fetch_add(&board->memory->rows[board->card].arrived, 1) + 1;
}

void rft_board_mark_gone(rft_board *board, unsigned card) {
    atomic_store(&board->memory->rows[card].gone, 1);
}

bool rft_board_all_there(const rft_board *board, unsigned times) {
    bool all = true;
    for (unsigned c = 0; c < board->memory->cards && c < RFT_BOARD_CARDS; c++) {
        const card_row *row = &board->memory->rows[c];
        all = all && (atomic_load(&row->arrived) >= times || atomic_load(&row->gone));
    }
    return all;
}

uint64_t rft_board_pulse(const rft_board *board) {
    return atomic_load(&board->memory->pulse);
}
