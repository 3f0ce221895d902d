/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/machine.hpp"

#include "emulator/device.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

emulator::Size threadIdx, blockIdx, blockDim, gridDim;

namespace emulator {

Fiber *current;
Draw drawn;
bool late;

static jmp_buf scheduler;
static unsigned running; /* blocks that have threads */
static const std::function<void()> *kernel;
static std::deque<std::function<void()>> pending_loads, pending_stores;
static std::string failed;

enum { STACK_BYTES = 96 << 10 };

void fault(const char *format, ...) {
    char text[500];
    va_list words;
    va_start(words, format);
    vsnprintf(text, sizeof text, format, words);
    va_end(words);
    std::string where;
    if (current) {
        where =
            " (block " + std::to_string(current->block->number) + ", thread " + std::to_string(current->thread) + ")";
    }
    throw Fault{text + where};
}

/* ---- waiting ---- */

/* Not by swapcontext(), which makes two system calls. */
void let_others() {
    if (_setjmp(current->place) == 0) {
        _longjmp(scheduler, 1);
    }
}

void wait_while(const unsigned *counter, unsigned mask, unsigned value, const char *what, unsigned where) {
    current->watched = counter;
    current->mask = mask;
    current->value = value;
    current->waits_for = what;
    current->waits_at = where;
    while ((*counter & mask) == value) {
        let_others();
    }
    current->watched = nullptr;
}

void arrive(Meeting &meeting, unsigned count) {
    if (++meeting.here == count) {
        meeting.here = 0;
        meeting.turn++;
    } else if (meeting.here > count) {
        fault("more threads at a barrier than it was told of: %u of %u", meeting.here, count);
    }
}

void meet(Meeting &meeting, unsigned count, const char *what, unsigned where) {
    const unsigned turn = meeting.turn;
    arrive(meeting, count);
    wait_while(&meeting.turn, ~0u, turn, what, where);
}

void meet_block() {
    meet(current->block->named[0], current->block->threads, "__syncthreads", 0);
}

void meet_warp() {
    meet(current->block->warps[current->warp()], 32, "its warp", current->warp());
}

unsigned exchange(unsigned value, unsigned from_lane) {
    auto &lanes = current->block->exchanged[current->warp()];
    lanes[current->lane()][0] = value;
    meet_warp();
    const unsigned other = lanes[from_lane][0];
    meet_warp();
    return other;
}

unsigned ballot(bool predicate) {
    auto &lanes = current->block->exchanged[current->warp()];
    lanes[current->lane()][0] = predicate;
    meet_warp();
    unsigned all = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        all |= lanes[lane][0] << lane;
    }
    meet_warp();
    return all;
}

void trap() {
    fault("__trap()");
}

void later(bool store, std::function<void()> work) {
    (store ? pending_stores : pending_loads).push_back(std::move(work));
}

/* ---- mbarriers ---- */

Barrier &barrier_of(Block *block, unsigned place) {
    const auto found = block->barriers.find(place);
    if (found == block->barriers.end()) {
        fault("no mbarrier was initialised at %u of block %u", place, block->number);
    }
    return found->second;
}

static void end_phase(Barrier &barrier) {
    if (barrier.pending == 0 && barrier.bytes == 0) {
        barrier.phase++;
        barrier.pending = barrier.count;
    }
}

void arrive_at(Block *block, unsigned place, unsigned arrivals) {
    Barrier &barrier = barrier_of(block, place);
    if (block->alive == 0) {
        fault("an arrival at an mbarrier of block %u, which has ended", block->number);
    }
    if (barrier.pending < arrivals) {
        fault("more arrivals at the mbarrier at %u of block %u than it was initialised with (%u)", place, block->number,
              barrier.count);
    }
    barrier.pending -= arrivals;
    end_phase(barrier);
}

void bytes_arrived(Block *block, unsigned place, unsigned bytes) {
    Barrier &barrier = barrier_of(block, place);
    barrier.bytes -= bytes;
    end_phase(barrier);
}

/* ---- shared memory ---- */

void *shared_memory() {
    return current->block->shared;
}

void *fixed_shared_memory(const void *key, size_t bytes) {
    Block *block = current->block;
    const auto found = block->fixed.find(key);
    if (found != block->fixed.end()) {
        return block->shared + found->second;
    }
    const unsigned place = (block->fixed_end + 15) / 16 * 16;
    check_shared(block, place, (unsigned)bytes, 16);
    block->fixed_end = place + (unsigned)bytes;
    block->fixed[key] = place;
    return block->shared + place;
}

size_t shared_offset(const void *place) {
    return (size_t)((const unsigned char *)place - current->block->shared);
}

void check_shared(const Block *block, unsigned from, unsigned bytes, unsigned aligned) {
    if (from > SHARED_MOST || bytes > SHARED_MOST - from) {
        fault("shared memory has no bytes %u to %u (block %u)", from, from + bytes, block->number);
    }
    if (from % aligned) {
        fault("shared memory at %u, which is no multiple of %u", from, aligned);
    }
}

void note_write(unsigned from, unsigned bytes) {
    const Range range = {from, from + bytes};
    for (const Range &other : current->block->read) {
        if (range.meets(other)) {
            fault("race: a thread writes shared memory from %u on, which an accelerator may still read", from);
        }
    }
    for (const Range &other : current->block->arriving) {
        if (range.meets(other)) {
            fault("race: a thread writes shared memory from %u on, where a copy is arriving", from);
        }
    }
    current->unfenced.push_back(range);
}

void check_readable(Block *block, const Range &range, const char *reader) {
    for (const Range &other : block->arriving) {
        if (range.meets(other)) {
            fault("race: %s reads shared memory from %u on before the copy there has arrived", reader, range.from);
        }
    }
    for (const Fiber *fiber : block->fibers) {
        for (const Range &other : fiber->unfenced) {
            if (range.meets(other)) {
                fault("%s reads shared memory from %u on, which thread %u wrote without fence.proxy.async behind it",
                      reader, range.from, fiber->thread);
            }
        }
    }
}

/* ---- a launch ---- */

/* The clusters that run, and what is theirs. */
struct Cluster {
    std::vector<Block *> blocks;
    Meeting meeting;
    std::vector<std::unique_ptr<Block>> own;
    std::vector<std::unique_ptr<unsigned char[]>> memory;
    std::vector<std::unique_ptr<Fiber>> fibers;
    unsigned alive = 0;
};

static std::vector<std::unique_ptr<char[]>> stacks; /* free ones */
static std::vector<std::unique_ptr<char[]>> used;   /* while the launch lasts */

static void enter() {
    try {
        (*kernel)();
    } catch (const Fault &found) {
        failed = found.text;
    }
    current->done = true;
    running -= --current->block->alive == 0;
    let_others();
}

static void start_thread(Cluster &cluster, Block *block, unsigned thread) {
    auto fiber = std::make_unique<Fiber>();
    fiber->block = block;
    fiber->thread = thread;
    if (stacks.empty()) {
        stacks.emplace_back(new char[STACK_BYTES]);
    }
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = stacks.back().get();
    fiber->context.uc_stack.ss_size = STACK_BYTES;
    fiber->context.uc_link = nullptr;
    makecontext(&fiber->context, enter, 0);
    used.push_back(std::move(stacks.back()));
    stacks.pop_back();
    block->fibers.push_back(fiber.get());
    cluster.fibers.push_back(std::move(fiber));
}

static std::unique_ptr<Cluster> start_cluster(const Launch &launch, unsigned first) {
    auto cluster = std::make_unique<Cluster>();
    for (unsigned rank = 0; rank < launch.cluster; rank++) {
        auto block = std::make_unique<Block>();
        cluster->memory.emplace_back(new unsigned char[SHARED_MOST + 1024]);
        const size_t place = (size_t)cluster->memory.back().get();
        block->number = first + rank;
        block->rank = rank;
        block->cluster = &cluster->blocks;
        block->cluster_meeting = &cluster->meeting;
        block->threads = block->alive = launch.threads;
        block->fixed_end = (unsigned)launch.shared;
        block->shared = (unsigned char *)((place + 1023) / 1024 * 1024);
        memset(block->shared, 0xff, SHARED_MOST); /* not a number */
        cluster->blocks.push_back(block.get());
        cluster->own.push_back(std::move(block));
        for (unsigned thread = 0; thread < launch.threads; thread++) {
            start_thread(*cluster, cluster->blocks.back(), thread);
        }
    }
    return cluster;
}

static void run_on(Fiber *fiber) {
    const unsigned x = gridDim.x, y = gridDim.y, number = fiber->block->number;
    current = fiber;
    threadIdx = {fiber->thread, 0, 0};
    blockIdx = {number % x, number / x % y, number / x / y};
    if (_setjmp(scheduler) == 0) {
        if (fiber->begun) {
            _longjmp(fiber->place, 1);
        }
        fiber->begun = true;
        setcontext(&fiber->context);
    }
    current = nullptr;
}

/* A thread that is not done, with what it waits for side by side: looking through them is a third of the time. */
struct Live {
    Fiber *fiber;
    bool slow; /* of those that lag */
    const unsigned *watched;
    unsigned mask, value;

    bool is_waiting() const {
        return watched && (*watched & mask) == value;
    }
    void go_on() {
        run_on(fiber);
        watched = fiber->watched;
        mask = fiber->mask;
        value = fiber->value;
    }
};

/* How a launch goes, drawn from its seed: how soon the accelerators do what they were asked for (one in so many
 * occasions; 0: when no thread can go on), and who lags behind, a block of each cluster, a warp of each block or none.
 */
static unsigned promptness;
static int slow_rank, slow_warp;

static void draw_mood(const Launch &launch) {
    const unsigned paces[] = {2, 64, 0}, who = drawn() % 3;
    promptness = paces[drawn() % 3];
    late = promptness != 2;
    slow_rank = who == 1 ? (int)(drawn() % launch.cluster) : -1;
    slow_warp = who == 2 ? (int)(drawn() % (launch.threads / 32)) : -1;
}

static bool is_slow(const Fiber *fiber) {
    return (int)fiber->block->rank == slow_rank || (int)fiber->warp() == slow_warp;
}

/* Now and then one of the accelerator's, or where no thread can go on; then stores last. */
static bool work_pending(bool must) {
    const size_t loads = pending_loads.size(), all = loads + pending_stores.size();
    if (all == 0 || !(must || (promptness && drawn() % promptness == 0))) {
        return false;
    }
    size_t i = drawn() % (promptness || loads == 0 ? all : loads);
    auto &list = i < loads ? pending_loads : pending_stores;
    i = i < loads ? i : i - loads;
    const auto work = std::move(list[i]);
    list[i] = std::move(list.back());
    list.pop_back();
    work();
    return true;
}

/* What the threads wait for that can never go on. */
static std::string hang_text(const std::vector<Live> &live) {
    std::map<std::string, unsigned> places;
    for (const Live &thread : live) {
        const Fiber *fiber = thread.fiber;
        places[std::string(fiber->waits_for) + " " + std::to_string(fiber->waits_at) + " in block " +
               std::to_string(fiber->block->number)]++;
    }
    std::string text = "hang:";
    for (const auto &place : places) {
        text += " " + std::to_string(place.second) + " threads wait for " + place.first + ";";
    }
    return text;
}

static std::string disorder_in(const Block *block) {
    const std::string where = " of block " + std::to_string(block->number);
    for (const auto &barrier : block->barriers) {
        if (barrier.second.bytes != 0) {
            return "bytes are left to arrive at the mbarrier at " + std::to_string(barrier.first) + where;
        }
    }
    for (unsigned i = 0; i < BARRIERS; i++) {
        if (block->named[i].here) {
            return "arrivals are left at the named barrier " + std::to_string(i) + where;
        }
    }
    if (block->tensor_columns) {
        return "tensor memory is not given back" + where;
    }
    return block->arriving.empty() ? "" : "a copy still arrives when all threads have left" + where;
}

/* Every thread of the clusters until all are done; "" or what went wrong. */
static std::string run_clusters(std::vector<std::unique_ptr<Cluster>> &clusters,
                                const std::function<bool()> &start_more) {
    std::vector<Live> live;
    const auto take = [&]() {
        for (auto &fiber : clusters.back()->fibers) {
            live.push_back({fiber.get(), is_slow(fiber.get()), nullptr, 0, 0});
        }
    };
    while (start_more()) {
        take();
    }
    bool all = false; /* those that lag, too */
    while (!live.empty()) {
        bool moved = work_pending(false), passed_over = false;
        size_t at = drawn() % live.size();
        for (size_t looked = 0, burst = 8; looked < live.size() && burst > 0 && failed.empty(); looked++) {
            bool done = false;
            if (!live[at].is_waiting()) {
                if (!all && live[at].slow && drawn() % 64 > 0) {
                    passed_over = true;
                } else {
                    live[at].go_on();
                    done = live[at].fiber->done;
                    moved = true;
                    burst--;
                }
            }
            if (done) {
                live[at] = live.back();
                live.pop_back();
            } else {
                at++;
            }
            at = at < live.size() ? at : 0;
        }
        if (!failed.empty()) {
            return failed;
        }
        all = !moved && passed_over;
        if (!moved && !passed_over && !work_pending(true)) {
            return hang_text(live);
        }
        if (live.size() < 256 && start_more()) {
            take();
        }
    }
    while (work_pending(true)) {
    }
    for (const auto &cluster : clusters) {
        for (const Block *block : cluster->blocks) {
            const std::string disorder = disorder_in(block);
            if (!disorder.empty()) {
                return disorder;
            }
        }
    }
    return "";
}

std::string run(const Launch &launch, unsigned seed, const std::function<void()> &body) {
    std::vector<std::unique_ptr<Cluster>> clusters;
    const unsigned blocks = launch.grid.x * launch.grid.y * launch.grid.z;
    unsigned next = 0;
    if (launch.threads % 32 || launch.threads > 1024 || launch.shared > SHARED_MOST || blocks % launch.cluster) {
        return "a launch that no card takes";
    }
    drawn.seed(seed);
    draw_mood(launch);
    failed.clear();
    running = 0;
    pending_loads.clear();
    pending_stores.clear();
    gridDim = launch.grid;
    blockDim = {launch.threads, 1, 1};
    kernel = &body;
    std::string text;
    const auto start_more = [&]() {
        if (next >= blocks) {
            return false;
        }
        if (running >= launch.at_once) {
            return false;
        }
        clusters.push_back(start_cluster(launch, next));
        next += launch.cluster;
        running += launch.cluster;
        return true;
    };
    try {
        text = run_clusters(clusters, start_more);
    } catch (const Fault &found) { /* of the accelerator's */
        text = found.text;
    }
    for (auto &stack : used) {
        stacks.push_back(std::move(stack));
    }
    used.clear();
    current = nullptr;
    return text;
}

} // namespace emulator
