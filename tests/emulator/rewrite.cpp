/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite OUT FOLDER... [OLD=>NEW]: the CUDA sources below these folders as C++ that the emulator runs, all in the one
 * folder OUT. `asm("…" : "=r"(x) : "r"(y))` becomes a call of emulator::ptx() with the same text, and shared memory
 * the block's own. OLD=>NEW plants a fault wherever the text is; OUT/planted.h says how often that was.
 */
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>
#include <string>

namespace fs = std::filesystem;

/* Behind the text or comment that begins at `at`; `at` where none does. */
static size_t behind_text(const std::string &s, size_t at) {
    if (s[at] == '"' || (s[at] == '\'' && (at == 0 || !isalnum((unsigned char)s[at - 1])))) {
        size_t end = at + 1;
        while (end < s.size() && s[end] != s[at]) {
            end += s[end] == '\\' ? 2 : 1;
        }
        return end + 1;
    }
    if (s.compare(at, 2, "/*") == 0) {
        return s.find("*/", at) + 2;
    }
    return s.compare(at, 2, "//") == 0 ? s.find('\n', at) : at;
}

/* The call in place of `asm (`, whose inside begins at `at`; `at` is then behind its last bracket. */
static std::string call_of(const std::string &s, size_t &at) {
    std::string call = "emulator::ptx((";
    int depth = 0, section = 0;
    while (at < s.size() && (depth > 0 || s[at] != ')')) {
        const size_t behind = behind_text(s, at);
        if (behind > at) {
            if (section < 3) {
                call += s.substr(at, behind - at) + (section > 0 && s[at] == '"' ? "_op" : "");
            }
            at = behind;
            continue;
        }
        depth += (s[at] == '(') - (s[at] == ')');
        if (depth == 0 && s[at] == ':') {
            section++;
            call += section == 1 ? "), {" : section == 2 ? "}, {" : section == 3 ? "}" : "";
        } else if (section < 3 || s[at] == '\n' || s[at] == '\\') {
            call += s[at];
        }
        at++;
    }
    at++;
    return call + (section == 0 ? "), {}, {})" : section == 1 ? "}, {})" : section == 2 ? "})" : ")");
}

static bool is_part_of_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static std::string without_asm(const std::string &s) {
    static const std::regex head("asm(\\s+volatile)?\\s*\\(");
    std::string out;
    for (size_t at = 0; at < s.size();) {
        const size_t behind = behind_text(s, at);
        std::smatch match;
        if (behind > at) {
            out += s.substr(at, behind - at);
            at = behind;
        } else if (s.compare(at, 3, "asm") == 0 && (at == 0 || !is_part_of_name(s[at - 1])) &&
                   std::regex_search(s.begin() + (long)at, s.end(), match, head,
                                     std::regex_constants::match_continuous)) {
            at += (size_t)match.length();
            out += call_of(s, at);
        } else {
            out += s[at++];
        }
    }
    return out;
}

static std::string rewritten(const std::string &source) {
    static const std::regex shared("extern\\s+__shared__\\s+(?:__align__\\(\\d+\\)\\s+)?([\\w ]+?)\\s*(\\w+)\\[\\];");
    static const std::regex fixed(
        "__shared__\\s+(?:__align__\\(\\d+\\)\\s+)?([\\w:<> ]+?)\\s+(\\w+)((?:\\[[^\\]]*\\])*);");
    static const std::regex numbers("<cuda_(bf16|fp16)\\.h>");
    const std::string own = std::regex_replace(source, numbers, "\"emulator/numbers.hpp\"");
    const std::string dynamic = std::regex_replace(own, shared, "$1 *const $2 = ($1 *)emulator::shared_memory();");
    return without_asm(std::regex_replace(
        dynamic, fixed, "static char key_of_$2; auto &$2 = emulator::fixed_shared<$1$3>(&key_of_$2);"));
}

int main(int argc, char **argv) {
    size_t planted = 0;
    std::string from, to;
    for (int i = 2; i < argc; i++) {
        const std::string word = argv[i];
        if (word.find("=>") != std::string::npos) {
            from = word.substr(0, word.find("=>"));
            to = word.substr(word.find("=>") + 2);
        }
    }
    fs::create_directories(argv[1]);
    for (int i = 2; i < argc; i++) {
        if (!fs::is_directory(argv[i])) {
            continue;
        }
        for (const auto &entry : fs::recursive_directory_iterator(argv[i])) {
            const std::string kind = entry.path().extension();
            if (kind != ".cu" && kind != ".cuh") {
                continue;
            }
            std::stringstream text;
            text << std::ifstream(entry.path()).rdbuf();
            std::string source = text.str();
            for (size_t at = 0; !from.empty() && (at = source.find(from, at)) != std::string::npos; at += to.size()) {
                source.replace(at, from.size(), to);
                planted++;
            }
            std::ofstream(fs::path(argv[1]) / entry.path().filename()) << rewritten(source);
        }
    }
    std::ofstream(fs::path(argv[1]) / "planted.h") << "#define PLANTED_PLACES " << planted << "\n";
    return 0;
}
