/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mix.h - a buyer's workload: the operations of one pass with how often they occur, what devices and energy cost, what
 * cards are called, and remarks. As `--mix FILE` gives them (docs/mix.md); mix_total.h adds them up. Plain data.
 */
#ifndef RFT_MODEL_MIX_H
#define RFT_MODEL_MIX_H

#include "base/arena.h"
#include "base/err.h"
#include "model/card/gpu_info.h"
#include "model/sweep/value.h"

#include <stddef.h>

typedef struct rft_mix_item {
    const char *operation; /* the name of a sweep, or of a kernel */
    const char **axes;     /* in alphabetical order; those that tell one problem from the others suffice */
    rft_value *values;
    size_t axis_count;
    double count; /* > 0, in one pass; not always whole */
} rft_mix_item;

typedef struct rft_mix {
    const char *path; /* the file */
    const char *name; /* "70B decode, batch 32" */
    const char *unit; /* what a pass makes: "token"; "pass" where none is given */
    double per;       /* so many of them; 1 where none is given */
    double cards;     /* that work on a pass together, each on the listed operations; 1 where none is given */
    double weights_bytes, cache_bytes; /* kept in device memory, on all those cards together; NaN: not given */
    rft_mix_item *items;
    size_t item_count;   /* at least one */
    const char **sweeps; /* files that measure them, as written; none: those called like the operations */
    size_t sweep_count;
} rft_mix;

typedef struct rft_mix_price {
    const char *device; /* name or UUID, as written */
    double amount;      /* > 0, of one */
    const char *date;   /* "2026-11" */
} rft_mix_price;

typedef struct rft_mix_name {
    const char *device; /* name or UUID */
    const char *name;   /* "card in rack 3" */
} rft_mix_name;

/* All files of one command together. A later file's price, name and other numbers replace those of earlier ones; mixes
 * and remarks add up. Absent numbers are NaN, absent texts NULL. */
typedef struct rft_mix_book {
    rft_mix *mixes;
    size_t mix_count;
    const char *currency; /* one for all */
    double kwh;           /* price of a kilowatt-hour */
    const char *kwh_date;
    double years;       /* of use that a device's price is spread over */
    double utilisation; /* share of these in which the mix runs, (0, 1] */
    double pue;         /* power usage effectiveness: energy of the site over that of its machines, >= 1 */
    double host_price;  /* of the share of its host that one card has */
    const char *host_date;
    double host_watts; /* of that share, drawn all the time */
    rft_mix_price *prices;
    size_t price_count;
    rft_mix_name *names;
    size_t name_count;
    const char **remarks;
    size_t remark_count;
} rft_mix_book;

#define RFT_MIX_LIST_MOST 1024 /* operations of a mix, prices, names, remarks */
#define RFT_MIX_FILE_MOST 64   /* mixes in one file */
#define RFT_MIX_ALL_MOST 4096  /* operations of all files together */

/* Nothing given. In `arena`. */
rft_mix_book *rft_mix_book_new(rft_arena *arena);

/* Adds what a file says: the JSON of a mix{}, or of a list of them (script.h: rft_script_read_table()). Everything is
 * copied into the arena. RFT_E_SCRIPT, with the path in the place: it is not a mix, its lists are longer than
 * RFT_MIX_LIST_MOST, or its currency is another one than that of the files before; the book is then not to be used. */
int rft_mix_book_add(rft_mix_book *book, const char *json, const char *path, rft_arena *arena, rft_err *err);

/* The price of that device, by its UUID, else by its name; NULL. */
const rft_mix_price *rft_mix_price_of(const rft_mix_book *book, const rft_gpu_info *gpu);
/* What the user calls it; NULL. */
const char *rft_mix_name_of(const rft_mix_book *book, const rft_gpu_info *gpu);

#endif
