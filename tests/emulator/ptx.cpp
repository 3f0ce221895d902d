/* SPDX-License-Identifier: Apache-2.0 */
/* ptx.cpp - the text of inline assembly becomes instructions, once, and they are carried out. */
#include "emulator/ptx.hpp"

#include <cctype>
#include <cstring>
#include <unordered_map>

namespace emulator {

typedef std::vector<Instruction> Program;

static Action action_of(const std::string &name) {
    const Known *best = nullptr;
    for (const auto *list : {&simple_instructions, &copy_instructions, &tensor_instructions, &tcgen05_instructions}) {
        for (const Known &known : *list) {
            if (name.compare(0, strlen(known.begin), known.begin) == 0 &&
                (!best || strlen(known.begin) > strlen(best->begin))) {
                best = &known;
            }
        }
    }
    if (!best) {
        fault("the emulator does not know the instruction %s: tests/emulator/ptx_*.cpp", name.c_str());
    }
    return best->action;
}

static std::vector<Argument> arguments_of(const std::string &text) {
    std::vector<Argument> arguments;
    int group = 0;
    bool in_braces = false;
    for (size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '{' || c == '}') {
            in_braces = c == '{';
            group++;
            at++;
        } else if (isalnum((unsigned char)c) || c == '%' || c == '_' || c == '-') {
            size_t end = at + 1;
            while (end < text.size() && (isalnum((unsigned char)text[end]) || strchr("%_.", text[end]))) {
                end++;
            }
            const std::string word = text.substr(at, end - at);
            Argument argument;
            argument.group = in_braces ? group : ++group;
            if (c == '%' && isdigit((unsigned char)word[1])) {
                argument.operand = std::stoi(word.substr(1));
            } else if (word.compare(0, 2, "0f") == 0) { /* the bits of an fp32 number */
                argument.number = std::stoull(word.substr(2), nullptr, 16);
            } else if (isdigit((unsigned char)c) || c == '-') {
                argument.number = (unsigned long long)std::stoll(word, nullptr, 0);
            } else {
                argument.name = word;
            }
            arguments.push_back(argument);
            at = end;
        } else {
            at++;
        }
    }
    return arguments;
}

static void add_statement(Program &program, std::string text) {
    const size_t first = text.find_first_not_of(" \t\n{}");
    if (first == std::string::npos || text.compare(first, 4, ".reg") == 0) {
        return;
    }
    text = text.substr(first);
    const size_t end = text.find_first_of(" \t\n");
    const std::string name = text.substr(0, end);
    program.push_back(
        {name, action_of(name), arguments_of(end == std::string::npos ? std::string() : text.substr(end))});
}

static Program program_of(const char *text) {
    Program program;
    std::string statement;
    for (const char *c = text; *c; c++) {
        if (*c == ';') {
            add_statement(program, statement);
            statement.clear();
        } else {
            statement += *c;
        }
    }
    add_statement(program, statement);
    return program;
}

static bool has_part(const std::string &name, const char *part) {
    const size_t length = strlen(part);
    for (size_t at = name.find(part); at != std::string::npos; at = name.find(part, at + 1)) {
        if (at > 0 && name[at - 1] == '.' && (at + length == name.size() || name[at + length] == '.')) {
            return true;
        }
    }
    return false;
}

bool Call::is(const char *part) const {
    for (const auto &known : instruction->parts) {
        if (known.first == part) {
            return known.second;
        }
    }
    instruction->parts.emplace_back(part, has_part(instruction->name, part));
    return instruction->parts.back().second;
}

size_t Call::count() const {
    return instruction->arguments.size();
}

size_t Call::in_group(size_t first) const {
    size_t end = first;
    while (end < count() && instruction->arguments[end].group == instruction->arguments[first].group) {
        end++;
    }
    return end - first;
}

const Operand &Call::operand(const Argument &argument) const {
    const size_t i = (size_t)argument.operand;
    if (i >= out->size() + in->size()) {
        fault("%s: there is no operand %%%zu", instruction->name.c_str(), i);
    }
    return i < out->size() ? out->begin()[i] : in->begin()[i - out->size()];
}

unsigned long long Call::get(size_t i) const {
    const Argument &argument = instruction->arguments.at(i);
    if (!argument.name.empty()) {
        return (*names)[argument.name];
    }
    if (argument.operand < 0) {
        return argument.number;
    }
    const Operand &from = operand(argument);
    unsigned long long bits = from.bits;
    if (from.place) { /* an instruction before may have set it */
        bits = 0;
        memcpy(&bits, from.place, from.size);
        if (from.kind == 'l' && from.size == 4 && (int)bits < 0) {
            bits = from.bits;
        }
    }
    return bits;
}

void Call::set(size_t i, unsigned long long bits) const {
    const Argument &argument = instruction->arguments.at(i);
    if (argument.name == "_") {
        return;
    }
    if (!argument.name.empty()) {
        (*names)[argument.name] = bits;
        return;
    }
    memcpy(place(i), &bits, operand(argument).size);
}

void *Call::place(size_t i) const {
    const Argument &argument = instruction->arguments.at(i);
    void *place = argument.operand < 0 ? nullptr : operand(argument).place;
    if (!place) {
        fault("%s: its operand %zu is no variable", instruction->name.c_str(), i);
    }
    return place;
}

void ptx(const char *text, std::initializer_list<Operand> out, std::initializer_list<Operand> in) {
    static std::unordered_map<const char *, Program> programs;
    if (!*text) {
        return;
    }
    auto found = programs.find(text);
    if (found == programs.end()) {
        found = programs.emplace(text, program_of(text)).first;
    }
    std::map<std::string, unsigned long long> names;
    if (drawn() % 64 == 0) {
        let_others();
    }
    for (const Instruction &instruction : found->second) {
        instruction.action(Call{&instruction, &out, &in, &names});
    }
}

} // namespace emulator
