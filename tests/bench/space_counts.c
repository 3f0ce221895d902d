/* SPDX-License-Identifier: Apache-2.0 */
/*
 * space [--quick]: the eight spaces of tests/bench/spaces, made and listed by rooftune, with the constraints as texts
 * and as Lua functions, and solved by python-constraint 2.6 where `python3` has it (pip install
 * python-constraint2==2.6.0): the same lists of values, the same constraints as strings. Each time is the best of three
 * (--quick: of one) and has everything from the constraints to the last configuration in memory; reading the Lua file
 * is left out, and so are Python's start and imports. A wrong count ends it with 1. No GPU.
 */
#include "bench/bench_program.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/json.h"
#include "model/sweep/space.h"
#include "script/script.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SPACES 8
#define ROWS 4096 /* listed at a time */

typedef struct known_space {
    const char *name;
    uint64_t cartesian, valid;
} known_space;

static const known_space spaces[SPACES] = {{"dedispersion", 22272, 11130}, {"expdist", 9732096, 294000},
                                           {"hotspot", 22200000, 349853},  {"gemm_clblast", 663552, 116928},
                                           {"microhh", 1166400, 138600},   {"prl_2", 36864, 1200},
                                           {"prl_4", 9437184, 10800},      {"prl_8", 2415919104, 48720}};

typedef struct timed {
    uint64_t valid;
    double made_s, listed_s;
    size_t stored_bytes;
} timed;

static _Noreturn void give_up(const char *what, const rft_err *err) {
    fprintf(stderr, "%s: %s %s\n", what, err ? err->place : "", err ? err->message : "");
    exit(1);
}

static double now_s(void) {
    const rft_clock *clock = rft_clock_system();
    return (double)clock->monotonic_ns(clock->self) * 1e-9;
}

/* ---- rooftune ---- */

static timed time_once(const rft_sweep *sweep) {
    rft_err err = RFT_ERR_INIT;
    rft_space *space = NULL;
    uint16_t *rows = rft_calloc(ROWS * sweep->variants[0].param_count, sizeof *rows);
    double started = now_s();
    if (rft_space_new(&space, sweep, 0, sweep->problems[0].values, NULL, &err) != 0) {
        give_up(sweep->name, &err);
    }
    timed result = {.made_s = now_s() - started, .stored_bytes = rft_space_size_bytes(space)};
    while (result.valid < rft_space_count(space)) {
        result.valid += rft_space_list(space, result.valid, ROWS, rows);
    }
    result.listed_s = now_s() - started;
    if (rft_space_errors(space) > 0) {
        give_up(rft_space_first_error(space), NULL);
    }
    rft_space_free(space);
    free(rows);
    return result;
}

static timed time_best(const rft_sweep *sweep, int repeats) {
    timed best = time_once(sweep);
    for (int i = 1; i < repeats; i++) {
        timed again = time_once(sweep);
        best = again.listed_s < best.listed_s ? again : best;
    }
    return best;
}

/* ---- the same in other words ---- */

static void add_values(rft_str *out, const rft_variant *variant, const char *head, const char *tail) {
    for (size_t i = 0; i < variant->param_count; i++) {
        rft_str_addf(out, head, variant->params[i].name);
        for (size_t v = 0; v < variant->params[i].value_count; v++) {
            rft_str_add(out, v ? ", " : "");
            rft_value_format(out, &variant->params[i].values[v]);
        }
        rft_str_add(out, tail);
    }
}

/* The sweep with every text as a function of what it names. */
static char *as_functions(const rft_variant *variant) {
    rft_str out = RFT_STR_INIT;
    rft_str_add(&out, "return sweep { tune = {\n");
    add_values(&out, variant, "  %s = values(", "),\n");
    rft_str_add(&out, "}, where = {\n");
    for (size_t c = 0; c < variant->constraint_count; c++) {
        const rft_constraint *constraint = &variant->constraints[c];
        rft_str_add(&out, "  function(");
        for (size_t i = 0; i < constraint->param_count; i++) {
            rft_str_addf(&out, "%s%s", i ? ", " : "", variant->params[constraint->params[i]].name);
        }
        rft_str_addf(&out, ") return %s end,\n", constraint->text);
    }
    rft_str_add(&out, "} }\n");
    return rft_str_take(&out);
}

/* Python has != for ~=, and otherwise the same operators. */
static void add_python(rft_str *out, const char *name, const rft_variant *variant) {
    rft_str_addf(out, "measure('%s', {", name);
    add_values(out, variant, "'%s': [", "], ");
    rft_str_add(out, "}, [");
    for (size_t c = 0; c < variant->constraint_count; c++) {
        rft_str_add(out, "'");
        for (const char *at = variant->constraints[c].text; *at; at++) {
            rft_str_add_char(out, at[0] == '~' && at[1] == '=' ? '!' : *at);
        }
        rft_str_add(out, "', ");
    }
    rft_str_add(out, "])\n");
}

static const char python_head[] =
    "import json, sys, time\n"
    "from constraint import Problem\n"
    "def measure(name, tune, where):\n"
    "    best = None\n"
    "    for _ in range(int(sys.argv[1])):\n"
    "        start = time.perf_counter()\n"
    "        problem = Problem()\n"
    "        for key, values in tune.items():\n"
    "            problem.addVariable(key, values)\n"
    "        for text in where:\n"
    "            problem.addConstraint(text)\n"
    "        found, _, _ = problem.getSolutionsAsListDict()\n"
    "        seconds = time.perf_counter() - start\n"
    "        best = seconds if best is None else min(best, seconds)\n"
    "    print(json.dumps({'name': name, 'valid': len(found), 'seconds': best}), flush=True)\n";

/* Seconds and counts of all spaces by Python; false where it or the package is not there. */
static bool run_python(const char *script, int repeats, timed *out) {
    char path[] = "/tmp/space_bench_XXXXXX", command[128], line[512];
    int file = mkstemp(path);
    if (file < 0 || write(file, script, strlen(script)) != (ssize_t)strlen(script) || close(file) != 0) {
        give_up("a temporary file cannot be written", NULL);
    }
    snprintf(command, sizeof command, "python3 %s %d 2>/dev/null", path, repeats);
    FILE *pipe = popen(command, "r");
    size_t count = 0;
    while (pipe && count < SPACES && fgets(line, sizeof line, pipe)) {
        json_t *row = NULL;
        rft_err err = RFT_ERR_INIT;
        if (rft_json_parse(&row, line, strlen(line), "python3", &err) != 0) {
            give_up("python3", &err);
        }
        out[count].valid = (uint64_t)rft_json_int_or(row, "valid", 0);
        out[count++].listed_s = rft_json_real_or(row, "seconds", (double)NAN);
        json_decref(row);
    }
    if (pipe) {
        pclose(pipe);
    }
    unlink(path);
    return count == SPACES;
}

/* ---- all of them ---- */

static void check_count(const known_space *known, const char *form, uint64_t cartesian, uint64_t valid) {
    if (valid != known->valid || cartesian != known->cartesian) {
        fprintf(stderr, "%s, %s: %" PRIu64 " of %" PRIu64 ", not %" PRIu64 " of %" PRIu64 "\n", known->name, form,
                valid, cartesian, known->valid, known->cartesian);
        exit(1);
    }
}

static uint64_t cartesian_of(const rft_variant *variant) {
    uint64_t product = 1;
    for (size_t i = 0; i < variant->param_count; i++) {
        product *= variant->params[i].value_count;
    }
    return product;
}

static void measure(const known_space *known, int repeats, timed *texts, timed *functions, rft_str *python) {
    char name[64];
    snprintf(name, sizeof name, "spaces/%s.lua", known->name);
    rft_script *script = NULL, *again = NULL;
    rft_script_opts opts = {.call_limit_s = 60};
    rft_err err = RFT_ERR_INIT;
    if (rft_script_load(&script, bench_file(name), &opts, &err) != 0) {
        give_up(name, &err);
    }
    const rft_sweep *sweep = rft_script_sweep(script, 0);
    char *text = as_functions(&sweep->variants[0]);
    if (rft_script_load_text(&again, name, text, strlen(text), &opts, &err) != 0) {
        give_up(name, &err);
    }
    *texts = time_best(sweep, repeats);
    *functions = time_best(rft_script_sweep(again, 0), repeats);
    check_count(known, "texts", cartesian_of(&sweep->variants[0]), texts->valid);
    check_count(known, "functions", known->cartesian, functions->valid);
    add_python(python, known->name, &sweep->variants[0]);
    free(text);
    rft_script_free(script);
    rft_script_free(again);
}

static void print_times(const char *name, const timed *texts, const timed *functions, const timed *python, bool has) {
    printf("%-14s %9" PRIu64 " %10.6f %10.6f %11.6f", name, texts->valid, texts->made_s, texts->listed_s,
           functions->listed_s);
    if (has) {
        printf(" %10.6f %7.0f %7.0f", python->listed_s, python->listed_s / texts->listed_s,
               python->listed_s / functions->listed_s);
    }
    printf("\n");
}

int main(int argc, char **argv) {
    int repeats = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 1 : 3;
    timed texts[SPACES], functions[SPACES], python[SPACES] = {{0}}, sums[3] = {{0}};
    rft_str script = RFT_STR_INIT;
    rft_str_add(&script, python_head);
    for (size_t i = 0; i < SPACES; i++) {
        measure(&spaces[i], repeats, &texts[i], &functions[i], &script);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    bool has = run_python(rft_str_get(&script), repeats, python);
    rft_str_clear(&script);
    printf("%-14s %9s %10s %10s %11s%s\n", "seconds", "valid", "made", "and listed", "functions",
           has ? "     Python   times   (functions)" : "");
    for (size_t i = 0; i < SPACES; i++) {
        const timed *from[3] = {&texts[i], &functions[i], &python[i]};
        for (size_t k = 0; k < 3; k++) {
            sums[k].valid += from[k]->valid;
            sums[k].made_s += from[k]->made_s;
            sums[k].listed_s += from[k]->listed_s;
        }
        if (has) {
            check_count(&spaces[i], "python-constraint", spaces[i].cartesian, python[i].valid);
        }
        print_times(spaces[i].name, &texts[i], &functions[i], &python[i], has);
    }
    print_times("all", &sums[0], &sums[1], &sums[2], has);
    if (has) {
        bench_line("times python-constraint", "%.0f with texts (goal: 30), %.0f with functions (goal: 12)",
                   sums[2].listed_s / sums[0].listed_s, sums[2].listed_s / sums[1].listed_s);
    } else {
        printf("python3 with python-constraint2 2.6 is not here: no comparison\n");
    }
    bench_line("PRL, n = 8", "%.4f s with texts, %.4f s with functions (goal: 0.1)", texts[7].listed_s,
               functions[7].listed_s);
    bench_line("peak memory", "%.1f MB for all of it", (double)usage.ru_maxrss / 1024);
    return 0;
}
