/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_copy.cpp - mbarriers, cp.async, and the tensor memory accelerator. */
#include "emulator/ptx.hpp"

#include <cstring>

namespace emulator {

/* mapa.shared::cluster.u32 there, place, rank */
static void map_address(const Call &call) {
    if (call.word(2) >= current->block->cluster->size()) {
        fault("mapa: the cluster has no block %u", call.word(2));
    }
    call.set(0, offset_at(call.word(1)) | (call.word(2) + 1) << RANK_SHIFT);
}

/* ---- mbarriers ---- */

static void barrier_init(const Call &call) {
    check_shared(current->block, call.word(0), 8, 8);
    Barrier barrier;
    barrier.count = barrier.pending = call.word(1);
    current->block->barriers[call.word(0)] = barrier;
}

static void barrier_expect(const Call &call) { /* expect_tx.…b64 [barrier], bytes */
    barrier_of(block_at(call.word(0)), offset_at(call.word(0))).bytes += call.word(1);
}

static void barrier_arrive_expect(const Call &call) { /* arrive.expect_tx.…b64 _, [barrier], bytes */
    Block *block = block_at(call.word(1));
    barrier_of(block, offset_at(call.word(1))).bytes += call.word(2);
    arrive_at(block, offset_at(call.word(1)), 1);
}

static void barrier_arrive(const Call &call) { /* arrive.…b64 _, [barrier], count */
    arrive_at(block_at(call.word(1)), offset_at(call.word(1)), call.count() > 2 ? call.word(2) : 1);
}

static void barrier_wait(const Call &call) { /* try_wait.parity.…b64 p, [barrier], parity */
    const unsigned place = call.word(1);
    wait_while(&barrier_of(current->block, place).phase, 1, call.word(2), "the mbarrier at", place);
    call.set(0, 1);
}

/* ---- cp.async ---- */

static void copy_now(const CopyAsync &copy) {
    unsigned char *to = current->block->shared + copy.to;
    memset(to, 0, copy.bytes);
    memcpy(to, copy.from, copy.present);
}

static void copy_async(const Call &call) { /* cp.async.cg.shared.global [to], [from], bytes, present */
    CopyAsync copy = {call.word(0), call.word(2), call.count() > 3 ? call.word(3) : call.word(2),
                      (const unsigned char *)call.get(1)};
    check_shared(current->block, copy.to, copy.bytes, copy.bytes);
    if (copy.present > 0 && (size_t)copy.from % copy.bytes) {
        fault("cp.async from an address that is no multiple of %u", copy.bytes);
    }
    if (late) {
        current->copies.push_back(copy);
    } else {
        copy_now(copy);
    }
}

static void copy_commit(const Call &) {
    current->copying.push_back(std::move(current->copies));
    current->copies.clear();
}

static void copy_wait(const Call &call) {
    while (current->copying.size() > call.word(0)) {
        for (const CopyAsync &copy : current->copying.front()) {
            copy_now(copy);
        }
        current->copying.pop_front();
    }
}

/* ---- the accelerator ---- */

static unsigned swizzled(unsigned place, unsigned swizzle) {
    const unsigned rows = swizzle / 16; /* 8, 4, 2 */
    return swizzle ? place ^ (place >> 7 & (rows - 1)) << 4 : place;
}

static unsigned box_bytes(const Map *map) {
    return map->box_columns * map->box_rows * map->size;
}

static void check_map(const Map *map, unsigned place) {
    const unsigned line = map->box_columns * map->size;
    if (map->pitch * map->size % 16 || line % 16 || (map->swizzle && line > map->swizzle) || map->box_rows > 256 ||
        map->box_columns > 256 || (size_t)map->base % 16) {
        fault("a tensor map that the driver refuses: pitch %ld bytes, box %u x %u of %u bytes, swizzle %u",
              map->pitch * map->size, map->box_columns, map->box_rows, map->size, map->swizzle);
    }
    check_shared(current->block, place, box_bytes(map), 128);
}

/* f(place in the box, place in the tensor or -1) of every element. */
template <class F> static void for_box(const Map *map, unsigned to, long x, long y, const F &f) {
    for (unsigned row = 0; row < map->box_rows; row++) {
        for (unsigned column = 0; column < map->box_columns; column++) {
            const bool inside = x + column >= 0 && x + column < map->columns && y + row >= 0 && y + row < map->rows;
            const unsigned at = to + (row * map->box_columns + column) * map->size;
            f(swizzled(at, map->swizzle), inside ? (y + row) * map->pitch + x + column : -1L);
        }
    }
}

/* The same of pixels in the order of memory, from (x, y) of an image on, each looked for `right` and `down` of it. */
template <class F>
static void for_pixels(const Map *map, unsigned to, long channel, long x, long y, long image, int right, int down,
                       const F &f) {
    for (unsigned row = 0; row < map->box_rows; row++) {
        const long own_x = x + right, own_y = y + down, pixel = (image * map->height + own_y) * map->width + own_x;
        const bool there = own_x >= 0 && own_x < map->width && own_y >= 0 && own_y < map->height && pixel < map->rows;
        for (unsigned column = 0; column < map->box_columns; column++) {
            const bool inside = there && channel + column < map->columns;
            f(swizzled(to + (row * map->box_columns + column) * map->size, map->swizzle),
              inside ? pixel * map->pitch + channel + column : -1L);
        }
        if (++x >= map->width + map->upper[0]) {
            x = map->lower[0];
            y++;
        }
        if (y >= map->height + map->upper[1]) {
            y = map->lower[1];
            image++;
        }
    }
}

/* The bytes arrive at `to` in every one of these blocks, and count at `barrier` there. */
template <class F>
static void load_into(const std::vector<Block *> &blocks, unsigned to, unsigned bytes, unsigned barrier,
                      const F &fill) {
    for (Block *block : blocks) {
        const Range range = {to, to + bytes};
        for (const Range &other : block->read) {
            if (range.meets(other)) {
                fault("race: a copy to %u of block %u is asked for while the accelerators may still read there", to,
                      block->number);
            }
        }
        for (const Range &other : block->arriving) {
            if (range.meets(other)) {
                fault("race: a copy to %u of block %u is asked for while another arrives there", to, block->number);
            }
        }
        block->arriving.push_front(range);
        const auto arriving = block->arriving.begin();
        later(false, [=]() {
            if (block->alive == 0) {
                fault("a copy arrives in block %u, which has ended", block->number);
            }
            fill(block);
            block->arriving.erase(arriving);
            bytes_arrived(block, barrier, bytes);
        });
    }
}

/* Where a copy goes: this block, or those of the cluster that have a bit in argument `mask`. */
static std::vector<Block *> receivers_of(const Call &call, size_t mask) {
    if (!call.is("multicast::cluster")) {
        return {block_at(call.word(0))};
    }
    std::vector<Block *> blocks;
    for (Block *block : *current->block->cluster) {
        if (call.word(mask) >> block->rank & 1) {
            blocks.push_back(block);
        }
    }
    return blocks;
}

static void load_element(const Map *map, Block *block, unsigned place, long from) {
    if (from < 0) {
        memset(block->shared + place, 0, map->size);
    } else {
        memcpy(block->shared + place, map->base + from * map->size, map->size);
    }
}

/* cp.async.bulk.tensor.2d.…mbarrier::complete_tx::bytes[.multicast::cluster] [to], [map, {x, y}], [barrier], blocks */
static void load_box(const Call &call) {
    const unsigned to = offset_at(call.word(0)), barrier = offset_at(call.word(4));
    const Map *map = *(const Map *const *)call.get(1);
    const long x = (int)call.word(2), y = (int)call.word(3);
    check_map(map, to);
    load_into(receivers_of(call, 5), to, box_bytes(map), barrier, [=](Block *block) {
        for_box(map, to, x, y, [&](unsigned place, long from) { load_element(map, block, place, from); });
    });
}

/* cp.async.bulk.tensor.3d.…bytes [to], [map, {x, y, z}], [barrier]: a plane has `height` rows */
static void load_brick(const Call &call) {
    const unsigned to = offset_at(call.word(0)), barrier = offset_at(call.word(5));
    const Map *map = *(const Map *const *)call.get(1);
    const long x = (int)call.word(2), y = (int)call.word(3), z = (int)call.word(4);
    check_map(map, to);
    load_into(receivers_of(call, 6), to, box_bytes(map), barrier, [=](Block *block) {
        for (unsigned i = 0; i < map->box_rows * map->box_columns; i++) {
            const long own_x = x + i % map->box_columns, own_y = y + i / map->box_columns;
            const bool inside = own_x >= 0 && own_x < map->columns && own_y >= 0 && own_y < map->height && z >= 0 &&
                                z < map->rows / map->height;
            load_element(map, block, swizzled(to + i * map->size, map->swizzle),
                         inside ? (z * map->height + own_y) * map->pitch + own_x : -1L);
        }
    });
}

/* cp.async.bulk.tensor.4d.…tile.…bytes [to], [map, {channel, x, y, image}], [barrier]: box_rows pixels of a row */
static void load_row(const Call &call) {
    const unsigned to = offset_at(call.word(0)), barrier = offset_at(call.word(6));
    const Map *map = *(const Map *const *)call.get(1);
    const long channel = (int)call.word(2), x = (int)call.word(3), y = (int)call.word(4), image = (int)call.word(5);
    check_map(map, to);
    load_into(receivers_of(call, 7), to, box_bytes(map), barrier, [=](Block *block) {
        for (unsigned i = 0; i < map->box_rows * map->box_columns; i++) {
            const long own_x = x + i / map->box_columns, own_channel = channel + i % map->box_columns;
            const long pixel = (image * map->height + y) * map->width + own_x;
            const bool inside = own_x >= 0 && own_x < map->width && y >= 0 && y < map->height &&
                                own_channel < map->columns && pixel < map->rows;
            load_element(map, block, swizzled(to + i * map->size, map->swizzle),
                         inside ? pixel * map->pitch + own_channel : -1L);
        }
    });
}

/* cp.async.bulk.tensor.4d.…im2col.…bytes[.multicast::cluster] [to], [map, {channel, x, y, image}], [barrier],
 * {right, down}, blocks */
static void load_pixels(const Call &call) {
    const unsigned to = offset_at(call.word(0)), barrier = offset_at(call.word(6));
    const Map *map = *(const Map *const *)call.get(1);
    const long channel = (int)call.word(2), x = (int)call.word(3), y = (int)call.word(4), image = (int)call.word(5);
    const int right = (unsigned short)call.word(7), down = (unsigned short)call.word(8);
    if (x < map->lower[0] || x >= map->width + map->upper[0] || y < map->lower[1] || y >= map->height + map->upper[1]) {
        fault("%s from (%ld, %ld), which is no pixel between the map's corners", call.instruction->name.c_str(), x, y);
    }
    check_map(map, to);
    load_into(receivers_of(call, 9), to, box_bytes(map), barrier, [=](Block *block) {
        for_pixels(map, to, channel, x, y, image, right, down,
                   [&](unsigned place, long from) { load_element(map, block, place, from); });
    });
}

/* cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [from], bytes, [barrier] */
static void load_bytes(const Call &call) {
    const unsigned to = offset_at(call.word(0)), bytes = call.word(2);
    const unsigned char *from = (const unsigned char *)call.get(1);
    check_shared(current->block, to, bytes, 16);
    if (bytes % 16 || (size_t)from % 16) {
        fault("a bulk copy of %u bytes, or from an address, that is no multiple of 16", bytes);
    }
    load_into({block_at(call.word(0))}, to, bytes, offset_at(call.word(3)),
              [=](Block *block) { memcpy(block->shared + to, from, bytes); });
}

/* The accelerator reads shared memory at some time until the thread has waited for the group. */
template <class F> static void store_from(unsigned from, unsigned bytes, const F &write) {
    Block *block = current->block;
    check_readable(block, {from, from + bytes}, "a bulk store");
    block->read.push_front({from, from + bytes});
    const auto read = block->read.begin();
    current->stores.push_back([=](unsigned &left) {
        write(block);
        block->read.erase(read);
        left--;
    });
}

/* cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [map, {x, y}], [from] */
static void store_box(const Call &call) {
    const Map *map = *(const Map *const *)call.get(0);
    const long x = (int)call.word(1), y = (int)call.word(2);
    const unsigned from = call.word(3);
    check_map(map, from);
    store_from(from, box_bytes(map), [=](Block *block) {
        for_box(map, from, x, y, [&](unsigned place, long to) {
            if (to >= 0) {
                memcpy(map->base + to * map->size, block->shared + place, map->size);
                if (map->writes) {
                    map->writes[to]++;
                }
            }
        });
    });
}

/* cp.async.bulk.global.shared::cta.bulk_group [to], [from], bytes */
static void store_bytes(const Call &call) {
    unsigned char *to = (unsigned char *)call.get(0);
    const unsigned from = call.word(1), bytes = call.word(2);
    check_shared(current->block, from, bytes, 16);
    store_from(from, bytes, [=](Block *block) { memcpy(to, block->shared + from, bytes); });
}

/* cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [to], [from], bytes */
static void reduce_bytes(const Call &call) {
    float *to = (float *)call.get(0);
    const unsigned from = call.word(1), bytes = call.word(2);
    check_shared(current->block, from, bytes, 16);
    if (!call.is("add") || !call.is("f32") || bytes % 16 || (size_t)to % 16) {
        fault("%s of %u bytes: of sums of fp32 the emulator knows, of multiples of 16", call.instruction->name.c_str(),
              bytes);
    }
    store_from(from, bytes, [=](Block *block) {
        for (unsigned i = 0; i < bytes / 4; i++) {
            float value;
            memcpy(&value, block->shared + from + 4 * i, 4);
            to[i] += value;
        }
    });
}

static void bulk_commit(const Call &) {
    auto left = std::make_shared<unsigned>((unsigned)current->stores.size());
    for (auto &store : current->stores) {
        later(true, [left, work = std::move(store)]() { work(*left); });
    }
    current->stores.clear();
    current->storing.push_back(left);
}

static void bulk_wait(const Call &call) {
    while (current->storing.size() > call.word(0)) {
        const std::shared_ptr<unsigned> oldest = current->storing.front();
        while (*oldest > 0) {
            wait_while(oldest.get(), ~0u, *oldest, "its bulk stores", *oldest);
        }
        current->storing.pop_front();
    }
}

const std::vector<Known> copy_instructions = {
    {"mapa.", map_address},
    {"mbarrier.init", barrier_init},
    {"mbarrier.expect_tx", barrier_expect},
    {"mbarrier.arrive", barrier_arrive},
    {"mbarrier.arrive.expect_tx", barrier_arrive_expect},
    {"mbarrier.try_wait.parity", barrier_wait},
    {"cp.async.ca", copy_async},
    {"cp.async.cg", copy_async},
    {"cp.async.commit_group", copy_commit},
    {"cp.async.wait_group", copy_wait},
    {"cp.async.bulk.tensor.2d.shared", load_box},
    {"cp.async.bulk.tensor.3d.shared", load_brick},
    {"cp.async.bulk.tensor.4d.shared::cluster.global.tile", load_row},
    {"cp.async.bulk.tensor.4d.shared::cluster.global.im2col", load_pixels},
    {"cp.async.bulk.tensor.2d.global", store_box},
    {"cp.async.bulk.shared", load_bytes},
    {"cp.async.bulk.global", store_bytes},
    {"cp.reduce.async.bulk.global", reduce_bytes},
    {"cp.async.bulk.commit_group", bulk_commit},
    {"cp.async.bulk.wait_group", bulk_wait},
};

} // namespace emulator
