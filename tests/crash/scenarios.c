/* SPDX-License-Identifier: Apache-2.0 */
#include "crash/scenarios.h"

#define RUN "run @S/sweeps/quick.lua -d replay:@Q -o run.db --budget 12 --no-report --events events.jsonl"
#define SMALL "\"$ROOFTUNE\" run \"$SOURCE/sweeps/quick.lua\" -d \"replay:$QUICK\" --no-report -o "
#define OLD "; echo old >"

const crash_scenario crash_scenarios[] = {
    {.name = "run", .command = RUN, .run = "run.db", .events = "events.jsonl"},
    {.name = "continue", .begun = RUN, .command = RUN, .run = "run.db", .events = "events.jsonl"},
    {.name = "read",
     .begun = RUN,
     .command = "show run.db",
     .run = "run.db",
     .reads = true}, /* it puts the log into the file */
    {.name = "fresh",
     .prepare = SMALL "run.db --budget 3 --seed 2",
     .command = RUN " --fresh",
     .run = "run.db",
     .events = "events.jsonl",
     .fresh = true,
     .most = 150},
    {.name = "fresh_killed", /* with a log beside it */
     .begun = RUN " --seed 2",
     .command = RUN " --fresh",
     .run = "run.db",
     .events = "events.jsonl",
     .fresh = true,
     .most = 150},
    {.name = "run_report",
     .prepare = "true" OLD "run.pdf",
     .command = "run @S/sweeps/quick.lua -d replay:@Q -o run.db --budget 3 --report run.pdf",
     .run = "run.db",
     .output = "run.pdf",
     .except = "run.db"},
    {.name = "import",
     .prepare = SMALL "a.db --budget 3; \"$ROOFTUNE\" export a.db -o a.json.gz; rm a.db",
     .command = "import a.json.gz -o run.db",
     .run = "run.db",
     .once = true},
    {.name = "baselines",
     .prepare = SMALL "run.db --budget 3; echo '[{\"name\": \"other\", \"sweep\": \"copy_scale\", "
                      "\"problem\": {\"n\": 65536}, \"seconds\": 0.002, \"source\": \"somebody\"}]' >b.json",
     .command = "import --baseline b.json run.db",
     .run = "run.db"},
    {.name = "export_gz",
     .prepare = SMALL "a.db --budget 3" OLD "out.json.gz",
     .command = "export a.db -o out.json.gz",
     .output = "out.json.gz",
     .once = true},
    {.name = "export_json",
     .prepare = SMALL "a.db --budget 3" OLD "out.json",
     .command = "export a.db -o out.json",
     .output = "out.json",
     .once = true},
    {.name = "report",
     .prepare = SMALL "a.db --budget 12" OLD "out.pdf",
     .command = "report a.db -o out.pdf",
     .output = "out.pdf"},
    {.name = "report_new",
     .prepare = SMALL "a.db --budget 12",
     .command = "report a.db -o out.pdf",
     .output = "out.pdf"},
    {.name = "chart",
     .prepare = SMALL "a.db --budget 12" OLD "out.svg",
     .command = "report a.db --format svg --chart roofline -o out.svg",
     .output = "out.svg"},
    {.name = "show_csv",
     .prepare = SMALL "a.db --budget 12" OLD "out.csv",
     .command = "show a.db --csv out.csv",
     .output = "out.csv"},
    {.name = "show_json",
     .prepare = SMALL "a.db --budget 12",
     .command = "show a.db --json out.json",
     .output = "out.json"},
    {.name = "best",
     .prepare =
         SMALL "a.db --budget 3; \"$ROOFTUNE\" best a.db --format header -o out.h; rm a.db; " SMALL "a.db --budget 12",
     .command = "best a.db --format header -o out.h",
     .output = "out.h"},
    {.name = "cache", .command = "check @S/sweeps/strided.lua --sample 3", .compiles = true, .who = CRASH_WORKERS},
    {.name = "cache_coordinator", .command = "check @S/sweeps/strided.lua --sample 3", .compiles = true},
    {.name = "cache_room", /* room was not looked for in a long time, and there is none */
     .prepare = "RFT_CACHE=$PWD/cache \"$ROOFTUNE\" check \"$SOURCE/sweeps/strided.lua\" --sample 3 && "
                "mkdir -p cache && for i in 1 2 3 4 5 6; do head -c 200000 /dev/zero >"
                "cache/000000000000000000000000000000000000000000000000000000000000000$i.rftc; done; "
                "touch -d 2019-01-01 cache/0000* cache/.lock",
     .command = "check @S/sweeps/strided.lua --sample 3",
     .compiles = true},
};

const size_t crash_scenario_count = sizeof crash_scenarios / sizeof *crash_scenarios;
