/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/commands/trial.h"

#include "base/fs.h"
#include "base/hash.h"
#include "fuzz/commands/damage.h"
#include "fuzz/commands/edit_words.h"
#include "fuzz/commands/hostile.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What stands for a file in the forms below:
 *   @A the damaged file            @B a good recording     @R a good run file    @Q quick.lua   @S any sweep
 *   @M a mix                       @L baselines            @T a folder           @O a new name  @N a number
 *   @C counters of Nsight Compute  @E a list of cards      @K a kernel's source
 * ";" stands between a command and the one that follows when it succeeds. */
static const char *const run_forms[] = {
    "show @A",
    "show @A --full",
    "show @A --ascii",
    "show @A --json -",
    "show @A --csv -",
    "show @A --point @N",
    "show @A --json @O.json",
    "show @A --csv @O.csv",
    "show @A --points -",
    "show @A --mix @M",
    "show @A @B",
    "show @B @A",
    "best @A",
    "best @A -f lua",
    "best @A -f csv",
    "best @A -f json",
    "best @A -f header",
    "best @A -f header -o @O.h",
    "report @A -o @O.pdf",
    "report @A --full -o @O.pdf",
    "report @A",
    "report @A --format svg --chart roofline -o @O.svg",
    "report @A --format svg --chart @N",
    "report @B --reference @A -o @O.pdf",
    "report @A --reference @B -o @O.pdf",
    "report @A --mix @M -o @O.pdf",
    "report @A --part 1 -o @O.pdf --limits-out @O.lua ; test @O.lua @B @A --junit -",
    "report @B --part 1 -o @O.pdf --limits-out @O.lua ; test @O.lua @A",
    "report @A @B -o @O.pdf",
    "export @A -o @O.json.gz",
    "export @A -o @O.json ; show @O.json",
    "export @A -f t4 -o @O.json ; show @O.json",
    "export @A -f kt -o @O.json ; show @O.json",
    "import @A -o @O.db",
    "import @A -o @O.db ; show @O.db --full",
    "import @A -o @O.db ; export @O.db -o @O.json.gz",
    "compare @A @B",
    "compare @B @A",
    "compare @A @B --json -",
    "compare @A @B --csv -",
    "compare @A @B @R -o @O.pdf",
    "compare @A @B --mix @M",
    "compare @A @B @R --expected @E",
    "compare @A @B @R --expected @E -o @O.pdf --csv -",
    "compare @A @A @B @A @R @A @B @A @R @A @A",
    "compare @A @B @A @B @A @B @A @R @A @B -o @O.html --json -",
    "model @A",
    "model @A --json -",
    "model @A -d a100,h100",
    "model @B -d @A",
    "ceilings -d replay:@A",
    "ceilings -d replay:@A --json -",
    "run @A -d replay: -o @O.db",
    "run @A -d replay: -o @O.db --no-report ; show @O.db",
    "run @B -d replay:@A -o @O.db --no-report",
    "run @A -d replay:@B -o @O.db --no-report",
    "run @Q -d replay:@A --dry-run",
    "run @Q -d replay:@A -o @O.db --no-report --budget 1",
    "point @Q -d replay:@A",
    "run @A @B -d replay: -o @O.db --no-report",
    "run @Q -d replay:@A,replay:@B --split -o @O.db --no-report",
    "run @Q -d replay:@A --shard 1/2 -o @O.db --no-report",
    "import @A @R -o @O.db",
};
static const char *const file_forms[] = {
    /* of a run file alone: it may be continued, and take baselines */ "run @B -d replay: -o @A",
    "run @A -d replay: -o @A",
    "run @B -d replay:@B -o @A --fresh --no-report",
    "import --baseline @L @A",
    "import --baseline @L @A ; show @A",
    "import --counters @C @A --point @N",
    "run @Q -d replay:@B -o @A --no-report --budget 1",
    "export @A -o @A",
    "show @A --json @A",
};
static const char *const script_forms[] = {
    "check @A --sample 0",
    "check @A --sample 0",
    "check @A --sample 0 --json -",
    "check @A --sample 1",
    "run @A -d replay:@B --dry-run",
    "run @A -d replay:@B -o @O.db --no-report --budget 1",
    "run @A -d replay:@B -o @O.db --budget 1",
    "point @A -d replay:@B",
    "point @A --emit log --arch sm_90a",
    "point @A --emit ptx -o @O.ptx --arch sm_90a",
    "run @A -d replay:@B --dry-run -- a=1 b",
    "show @B --mix @A",
    "test @A @B",
};
static const char *const space_forms[] = {
    "check @A",
    "check @A --json -",
    "check @A --sample 0",
    "run @A -d replay:@B --dry-run",
    "run @A -d replay:@B -o @O.db --no-report",
    "new --from @A",
    "new @K --from @A -o @T",
    "new @K --from @A -o @T --reference-from add",
};
static const char *const counter_forms[] = {
    "import --counters @A @R --point @N",
    "import --counters @A @R --variant vectorised",
    "import --counters @A @R --point @N ; show @R --full",
};
static const char *const mix_forms[] = {
    "show @B --mix @A",
    "show @B --mix @A --json -",
    "report @B --mix @A -o @O.pdf",
    "compare @B @R --mix @A",
    "show @B --mix @A --mix @M",
    "compare @B @R --mix @A --json -",
    "compare @B @R --mix @A -o @O.pdf",
    "check @A",
};
static const char *const baseline_forms[] = {
    "import --baseline @A @R",
    "import --baseline @A @R ; show @R --full",
    "import --baseline @A @R ; report @R -o @O.pdf",
    "import --baseline @A --baseline @L @R",
    "import --baseline @A @R ; export @R -o @O.json.gz",
    "import --baseline @A @B",
    "import @A -o @O.db",
};
static const char *const other_forms[] = {
    /* no file needs to be damaged for these */ "model gemm m=1024,2048 n=1024 k=64",
    "model gemm m=@N n=@N k=@N",
    "model attention b=1 h=8 s=@N d=64",
    "model gemm m=64 n=64 k=64 --turn m",
    "devices",
    "--version",
    "--help",
    "help",
    "ceilings",
    "check @S --sample 0",
    "worker compile",
    "worker device @N",
    "model gemm m=@N,@N n=1 k=1 --json @O.json",
    "run @Q -d 0",
    "run @Q -d 0,1 -o @T",
    "run @Q -d all --no-report",
    "point @Q --at n=@N --set VEC=@N -d replay:@B",
};

typedef struct kind {
    const char *name;
    size_t weight;
    family damaged;
    struct {
        const char *const *forms;
        size_t count;
    } of[2];
} kind;

#define FORMS(array)                                                                                                   \
    { array, COUNT(array) }
static const kind kinds[] = {
    {"recording", 30, FAMILY_RECORDING, {FORMS(run_forms)}},
    {"runfile", 24, FAMILY_RUN_FILE, {FORMS(run_forms), FORMS(file_forms)}},
    {"foreign", 10, FAMILY_FOREIGN, {FORMS(run_forms)}},
    {"script", 16, FAMILY_SWEEP, {FORMS(script_forms)}},
    {"space", 4, FAMILY_SPACE, {FORMS(space_forms)}},
    {"mix", 5, FAMILY_MIX, {FORMS(mix_forms)}},
    {"baselines", 5, FAMILY_BASELINES, {FORMS(baseline_forms)}},
    {"counters", 3, FAMILY_COUNTERS, {FORMS(counter_forms)}},
    {"words", 24, FAMILY_RECORDING, {FORMS(run_forms), FORMS(file_forms)}},
};

const char *const *trial_kinds(void) {
    static const char *const names[] = {
        "recording", "runfile", "foreign", "script", "space", "mix", "baselines", "counters", "words", NULL,
    };
    return names;
}

static const kind *pick_kind(const char *only, uint64_t *random) {
    size_t all = 0;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        all += kinds[i].weight;
        if (only && strcmp(only, kinds[i].name) == 0) {
            return &kinds[i];
        }
    }
    size_t at = rft_random_below(random, all), i = 0;
    while (at >= kinds[i].weight) {
        at -= kinds[i++].weight;
    }
    return &kinds[i];
}

typedef struct maker {
    trial *trial;
    const char *folder;
    const samples *from;
    const char *damaged; /* name of @A */
    family family;       /* of @A */
    uint64_t *random;
} maker;

/* Puts a good file into the box, once. */
static const char *good(const maker *m, family of, const char *sample_name, const char *name) {
    char *path = rft_fs_join(m->folder, name);
    if (!rft_fs_exists(path)) {
        const sample *s = sample_name ? samples_named(m->from, of, sample_name) : samples_pick(m->from, of, m->random);
        damage_none(path, s);
    }
    free(path);
    return name;
}

static const char *good_text(const maker *m, const char *name, const char *text) {
    const sample made = {name, text, strlen(text)};
    char *path = rft_fs_join(m->folder, name);
    damage_none(path, &made);
    free(path);
    return name;
}

/* What corpus/t1/kernel is about. */
static const char *good_kernel(const maker *m) {
    return good_text(m, "add.cu",
                     "extern \"C\" __global__ void add(const unsigned char *a, float4 *sum, double by, int n) {\n"
                     "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                     "    if (i < n) sum[i].x += a[i] * by;\n"
                     "}\n");
}

/* What a "@X" stands for; the file is there then. */
static const char *stands_for(const maker *m, char letter) {
    static const char *const kept[] = {
        "quick",
        "quick",
        "linear_fp16",
        "working_set",
    };
    const char *name = kept[rft_random_below(m->random, COUNT(kept))];
    switch (letter) {
    case 'A':
        return m->damaged;
    case 'B':
        return good(m, FAMILY_RECORDING, name, "b.json.gz");
    case 'R':
        return good(m, FAMILY_RUN_FILE, name, "r.db");
    case 'Q':
        return good(m, FAMILY_SWEEP, "quick", "q.lua");
    case 'S':
        return good(m, FAMILY_SWEEP, NULL, "s.lua");
    case 'M':
        return good(m, FAMILY_MIX, NULL, "m.lua");
    case 'L':
        return good(m, FAMILY_BASELINES, "table", "l.csv");
    case 'C':
        return good(m, FAMILY_COUNTERS, "raw", "c.csv");
    case 'E':
        return good_text(m, "e.txt", "card\nGPU-00000000-1111-2222-3333-444444444444, rack 3\n12345678\n");
    case 'K':
        return good_kernel(m);
    case 'T':
        return "folder";
    case 'N':
        return hostile_chance(m->random, 2)
                   ? rft_arena_printf(m->trial->arena, "%d", (int)rft_random_below(m->random, 20))
                   : hostile_number(m->random);
    default:
        return "o";
    }
}

static const char *expand(const maker *m, const char *word, size_t length) {
    rft_str out = RFT_STR_INIT;
    for (size_t i = 0; i < length; i++) {
        if (word[i] == '@' && i + 1 < length) {
            rft_str_add(&out, stands_for(m, word[++i]));
        } else {
            rft_str_add_char(&out, word[i]);
        }
    }
    const char *kept = rft_arena_strdup(m->trial->arena, rft_str_get(&out));
    rft_str_clear(&out);
    return kept;
}

static void take_form(const maker *m, const char *form) {
    trial *t = m->trial;
    size_t count = 0;
    t->command_count = 1;
    for (const char *at = form; *at; at += *at == ' ') {
        size_t length = strcspn(at, " ");
        if (length == 1 && *at == ';') {
            t->command_count++;
            count = 0;
        } else if (count + 1 < TRIAL_WORDS) {
            t->words[t->command_count - 1][count++] = expand(m, at, length);
        }
        at += length;
    }
}

static const char *pick_form(const kind *of, uint64_t *random) {
    bool words = strcmp(of->name, "words") == 0;
    if (words && hostile_chance(random, 3)) {
        return other_forms[rft_random_below(random, COUNT(other_forms))];
    }
    bool second = of->of[1].count && hostile_chance(random, 4);
    return of->of[second].forms[rft_random_below(random, of->of[second].count)];
}

static bool runs_scripts(const trial *t) {
    for (size_t c = 0; c < t->command_count; c++) {
        for (size_t i = 0; t->words[c][i]; i++) {
            if (rft_text_ends(t->words[c][i], ".lua")) {
                return true;
            }
        }
    }
    return false;
}

void trial_make(trial *out, const char *folder, const samples *from, const option_table *options, const char *only,
                rft_arena *arena, uint64_t *random) {
    *out = (trial){.arena = arena};
    const kind *of = pick_kind(only, random);
    bool words = strcmp(of->name, "words") == 0;
    maker m = {.trial = out, .folder = folder, .from = from, .family = of->damaged, .random = random};
    out->kind = of->name;
    if (words) {
        static const family any[] = {
            FAMILY_RECORDING,
            FAMILY_RUN_FILE,
            FAMILY_FOREIGN,
        };
        m.family = any[rft_random_below(random, COUNT(any))];
    }
    m.damaged = damage_make(folder, from, m.family, words, arena, random);
    if (of->damaged == FAMILY_SPACE) {
        good_kernel(&m);
    }
    take_form(&m, pick_form(of, random));
    if (words) {
        damage_odd_files(folder);
        good(&m, FAMILY_RECORDING, "quick", "b.json.gz");
        good(&m, FAMILY_RUN_FILE, "quick", "r.db");
        good(&m, FAMILY_SWEEP, "quick", "q.lua");
    }
    for (size_t c = 0; c < out->command_count; c++) {
        if (words) {
            edit_words(out->words[c], TRIAL_WORDS, options, folder, arena, random);
        } else if (hostile_chance(random, 4)) {
            edit_words_add_option(out->words[c], TRIAL_WORDS, options, arena, random);
        }
    }
    out->script_runs = runs_scripts(out);
}
