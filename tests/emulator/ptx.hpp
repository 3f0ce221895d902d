/* SPDX-License-Identifier: Apache-2.0 */
/* ptx.hpp - an instruction with its operands, for the functions that carry it out. PTX ISA 8.8. */
#pragma once
#include "emulator/device.hpp"
#include "emulator/machine.hpp"

#include <map>
#include <string>
#include <vector>

namespace emulator {

/* An operand as it stands in the text: %3, a number, or a name. Those in one pair of braces share a group. */
struct Argument {
    int operand = -1;
    unsigned long long number = 0;
    std::string name;
    int group = 0;
};

struct Instruction;

enum { RANK_SHIFT = 24 }; /* a place in another block of the cluster: rank + 1 above these bits */

inline Block *block_at(unsigned place) {
    return place >> RANK_SHIFT ? (*current->block->cluster)[(place >> RANK_SHIFT) - 1] : current->block;
}
inline unsigned offset_at(unsigned place) {
    return place & ((1u << RANK_SHIFT) - 1);
}

/* One that is carried out: its operands and the names of its text ("p"). */
struct Call {
    const Instruction *instruction;
    const std::initializer_list<Operand> *out, *in;
    std::map<std::string, unsigned long long> *names;

    bool is(const char *part) const; /* of the instruction's name, between dots: is("x4") */
    size_t count() const;
    size_t in_group(size_t first) const; /* arguments in the braces that begin with this one */
    unsigned long long get(size_t i) const;
    unsigned word(size_t i) const {
        return (unsigned)get(i);
    }
    void set(size_t i, unsigned long long bits) const;
    void *place(size_t i) const; /* of a variable */
    const Operand &operand(const Argument &argument) const;
    void set_float(size_t i, float value) const {
        set(i, bits_of(value));
    }
};
typedef void (*Action)(const Call &call);

struct Instruction {
    std::string name;
    Action action;
    std::vector<Argument> arguments;
    /* What its name says, once it has been asked. */
    mutable std::vector<std::pair<const char *, bool>> parts = {};
    mutable const struct Kind *a = nullptr, *b = nullptr;
    mutable unsigned columns = 0, depth = 0;
};

/* By the beginning of their names; the longest that fits counts. */
struct Known {
    const char *begin;
    Action action;
};
extern const std::vector<Known> simple_instructions, copy_instructions, tensor_instructions, tcgen05_instructions;

} // namespace emulator
