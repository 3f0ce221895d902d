/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.hpp - blocks, their threads as fibers of one CPU thread, what threads wait for, and what the accelerator has
 * yet to do. A thread runs until it waits, or now and then lets others go first.
 */
#pragma once
#include "emulator/emulator.hpp"

#include <csetjmp>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <ucontext.h>
#include <vector>

namespace emulator {

enum { SHARED_MOST = 227 * 1024, BARRIERS = 16, WARPS_MOST = 32 };

/* What went wrong; ends the launch. */
struct Fault {
    std::string text;
};
[[noreturn]] void fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Bytes of a block's shared memory, [from, to). */
struct Range {
    unsigned from, to;
    bool meets(const Range &other) const {
        return from < other.to && other.from < to;
    }
};
typedef std::list<Range> Ranges;

/* All of so many come here before one goes on. */
struct Meeting {
    unsigned turn = 0, here = 0;
};

struct Barrier {
    unsigned phase = 0, count = 0, pending = 0;
    long bytes = 0; /* expected and not yet there */
};

struct Block {
    unsigned number, rank; /* in the cluster */
    std::vector<Block *> *cluster;
    Meeting *cluster_meeting;
    unsigned threads, alive;
    unsigned char *shared;
    std::map<const void *, unsigned> fixed; /* places of __shared__ variables, by their keys; behind the dynamic part */
    unsigned fixed_end;
    std::map<unsigned, Barrier> barriers; /* by their place */
    Meeting named[BARRIERS], warps[WARPS_MOST];
    Ranges arriving, read; /* by the accelerators: what they write, and read, at any time from now on */
    unsigned exchanged[WARPS_MOST][32][16]; /* registers that lanes show each other */
    std::vector<struct Fiber *> fibers;
    /* Of tcgen05: sums by lanes, columns that are taken, and what the tensor core has yet to do, of which so many have
     * been committed. */
    std::vector<unsigned> tensor_memory;
    unsigned tensor_columns = 0;
    std::deque<std::function<void()>> products;
    size_t committed = 0;
};

struct Multiplication {
    std::function<void()> run;
    std::vector<Ranges::iterator> a; /* of a warp's first lane; none where A is in registers */
    Ranges::iterator b;
};
struct CopyAsync {
    unsigned to, bytes, present;
    const unsigned char *from;
};

/* A thread. */
struct Fiber {
    ucontext_t context; /* to begin with; then it goes on at `place` */
    jmp_buf place;
    Block *block;
    unsigned thread;
    bool begun = false, done = false;
    const unsigned *watched = nullptr; /* it waits while (*watched & mask) == value */
    unsigned mask = 0, value = 0;
    const char *waits_for = "";
    unsigned waits_at = 0;
    std::deque<std::vector<Multiplication>> multiplying; /* groups, oldest first */
    std::vector<Multiplication> multiplications;         /* not yet a group */
    std::deque<std::vector<CopyAsync>> copying;
    std::vector<CopyAsync> copies;
    std::deque<std::shared_ptr<unsigned>> storing; /* groups: stores that have not been read */
    std::vector<std::function<void(unsigned &)>> stores;
    Ranges unfenced; /* written, and not yet for the accelerators to see */
    unsigned cluster_turn = 0;
    const unsigned *acquired = nullptr; /* by the last ld.acquire, and what it was */
    unsigned acquired_value = 0;

    unsigned lane() const {
        return thread % 32;
    }
    unsigned warp() const {
        return thread / 32;
    }
};

/* Numbers from a seed. xorshift* (Vigna): an instruction draws one, and a Mersenne Twister took a tenth of the time. */
struct Draw {
    unsigned long long state = 1;
    void seed(unsigned value) {
        state = (value + 1ull) * 0x9e3779b97f4a7c15ull;
    }
    unsigned operator()() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return (unsigned)(state * 0x2545f4914f6cdd1dull >> 32);
    }
};

extern Fiber *current;
extern Draw drawn;
extern bool late; /* copies and multiplications of this launch take place as late as may be, else as early */

/* Goes on when (*counter & mask) is another than `value`. */
void wait_while(const unsigned *counter, unsigned mask, unsigned value, const char *what, unsigned where);
void let_others();
void arrive(Meeting &meeting, unsigned count);
void meet(Meeting &meeting, unsigned count, const char *what, unsigned where);

/* What the accelerator does at some time from now on. */
void later(bool store, std::function<void()> work);

Barrier &barrier_of(Block *block, unsigned place);
void arrive_at(Block *block, unsigned place, unsigned arrivals);
void bytes_arrived(Block *block, unsigned place, unsigned bytes);

/* Faults unless the bytes are the block's. */
void check_shared(const Block *block, unsigned from, unsigned bytes, unsigned aligned);
/* A thread writes there, by an instruction that can be seen. */
void note_write(unsigned from, unsigned bytes);
/* The accelerators are about to read there: all that was written must be fenced, and nothing still arriving. */
void check_readable(Block *block, const Range &range, const char *reader);

} // namespace emulator
