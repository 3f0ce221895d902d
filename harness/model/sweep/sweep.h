/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep.h - a sweep as the rest of the program sees it: plain data read from a script, and a vtable for the functions
 * that the script defines. Nothing here knows Lua.
 */
#ifndef RFT_MODEL_SWEEP_H
#define RFT_MODEL_SWEEP_H

#include "base/err.h"
#include "model/stats/stats.h"
#include "model/sweep/expr.h"
#include "model/sweep/settings.h"
#include "model/sweep/spec.h"
#include "model/sweep/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rft_sweep rft_sweep;

/* A problem dimension. `over` gives it values (swept); `with` makes it a number or a function of the swept ones. */
typedef struct rft_axis {
    const char *name;
    rft_value *values; /* in the script's order; empty when derived by `with` or given by `problems` */
    size_t value_count;
    bool swept;       /* from `over` */
    bool along;       /* transitions are looked for along it */
    bool compiled;    /* arrives as a macro too: one cubin per value */
    int refine_depth; /* 0 = none */
} rft_axis;

typedef struct rft_param {
    const char *name;
    const char *help; /* "" when none */
    rft_value default_value;
    rft_value *values; /* to try; just the default when not tuned */
    size_t value_count;
    bool in_entry; /* substituted into the entry's text, not a macro */
} rft_param;
/* Which of the parameter's values it is; value_count when none of them. Quick where they ascend, as most lists do. */
size_t rft_param_find(const rft_param *param, const rft_value *value);

/* What a slot of a constraint's expression stands for. */
typedef struct rft_constraint_slot {
    enum { RFT_SLOT_UNUSED, RFT_SLOT_PARAM, RFT_SLOT_AXIS } kind;
    size_t index; /* into variant.params or sweep.axes */
} rft_constraint_slot;

/* A constraint and what it needs. It is applied as soon as everything it names is bound. */
typedef struct rft_constraint {
    const char *text; /* as written, or "function at saxpy.lua:12" */
    size_t *params;   /* indices into variant.params */
    size_t param_count;
    size_t *axes; /* indices into sweep.axes */
    size_t axis_count;
    const rft_expr *expr;       /* means the same as the vtable's function, and is faster; NULL: there is none */
    rft_constraint_slot *slots; /* one for each slot of expr */
    size_t slot_count;
} rft_constraint;

typedef struct rft_variant {
    const char *name;   /* "naive"; the kernel's name when the sweep has no variants */
    const char *kernel; /* "gemv_fp16" */
    const char *source; /* path */
    const char *entry;  /* as written: "gemm<BM, BN>" */
    const char *place;  /* of its kernel { in the script: "saxpy.lua:4"; NULL: of a stored run */
    /* "variant naive (BLOCK=256)": its results are compared with that one's, which nothing verifies. NULL: with a
     * kernel's, or with those of a variant that is verified against one; or not recorded. */
    const char *unverified_reference;
    rft_param *params;
    size_t param_count;
    rft_constraint *constraints; /* sweep-wide ones that name only this variant's parameters, and its own */
    size_t constraint_count;
} rft_variant;

/* A vendor's library in a kernel's place: its "source" is the script that describes it. */
bool rft_variant_is_library(const rft_variant *variant);

#define RFT_GIVEN_BYTES_MAX (64u << 20)
/* A kernel that is given compiled: its source is a ".cubin" or ".ptx" (or ".fatbin", which is refused with its
 * remedy where it is looked at). It has no parameters. */
bool rft_source_is_given(const char *source);
bool rft_variant_is_given(const rft_variant *variant);

#define RFT_REFINED_MAX 20 /* the deepest refine() */

typedef struct rft_problem {
    rft_value *values; /* one per sweep.axes, in that order */
    bool odd;          /* verified only, never timed: the odd size */
    int refined; /* 0: the script's own; n: refine() added it, at the n-th bisection (model/transition/refine.h) */
} rft_problem;

/* When sampling ends; `rival_s` as in rft_stop_rule. */
rft_stop_rule rft_measure_rule(const rft_measure_opts *opts, double rival_s);

/* One constraint for many values of one parameter. */
typedef struct rft_sweep_along {
    size_t variant, constraint;
    const rft_value *problem, *config; /* as for rft_sweep_vt.constraint; config[param] is not read */
    size_t param;
    const rft_value *values; /* at most 64 */
    uint64_t wanted;         /* bit i: values[i] is to be tried */
} rft_sweep_along;

typedef struct rft_sweep_vt {
    /* Whether the constraint holds. `problem` has one value per axis; `config` one per parameter, of which only those
     * the constraint names are read. RFT_E_SCRIPT when the script raised an error (place, message, traceback),
     * RFT_E_SCRIPT_STOPPED, here and below, when it has passed a limit of time: so will every later call. */
    int (*constraint)(void *self, size_t variant, size_t constraint, const rft_value *problem, const rft_value *config,
                      bool *holds, rft_err *err);
    /* Spells out a point; everything is allocated from `arena`. RFT_E_SCRIPT on an error in the script. */
    int (*point)(void *self, size_t variant, const rft_value *problem, const rft_value *config, rft_arena *arena,
                 rft_point_spec *out, rft_err *err);
    /* What the script's prior says of a configuration: > 0, the lower the better it should be; *out = 0: the variant
     * has none. RFT_E_SCRIPT: it failed, or gave no such number. NULL: there is none. */
    int (*prior)(void *self, size_t variant, const rft_value *problem, const rft_value *config, double *out,
                 rft_err *err);
    /* Completes a problem: `values` has the swept axes filled in, the derived ones are computed by `with`. */
    int (*complete)(void *self, rft_value *values, rft_arena *arena, rft_err *err);
    /* Spells out a baseline: the kernels' buffers, check and work, and one call of the vendor's library as its launch.
     * NULL where baseline_count is 0. */
    int (*baseline)(void *self, size_t index, const rft_value *problem, rft_arena *arena, rft_point_spec *out,
                    rft_err *err);
    /* The wanted values from *next on, ascending; sets bit i of *holds where the constraint holds. On an error *next is
     * the value that raised it, and the caller may go on with the one behind. NULL: constraint() is called for each. */
    int (*constraint_along)(void *self, const rft_sweep_along *call, unsigned *next, uint64_t *holds, rft_err *err);
    /* The buffers of a problem, which no configuration changes but for its temps: out->buffers. NULL: not known. */
    int (*buffers)(void *self, size_t variant, const rft_value *problem, rft_arena *arena, rft_point_spec *out,
                   rft_err *err);
} rft_sweep_vt;

struct rft_sweep {
    const char *name;        /* file stem, or the sweep's own `name` */
    const char *path;        /* of the script */
    const char *script_hash; /* SHA-256 of the script and every file it required */
    rft_axis *axes;          /* in the order of the kernel's `problem` */
    size_t axis_count;
    rft_problem *problems; /* odd ones first if there are any, then row-major over the swept axes, or as listed;
                            * behind them those that refine() adds while the run goes on */
    size_t problem_count;
    rft_variant *variants; /* at least one, unless the sweep is a bare space */
    size_t variant_count;
    bool bare_space;       /* no kernel: can be checked and searched by replay */
    const char *item_name; /* NULL = none */
    int diagnostic; /* 1: its figures explain the card and are no workload of anyone's: no summary counts them. 0: they
                       are. -1: not recorded */
    const char *note; /* the script's own sentences for its page; NULL = none */
    rft_measure_opts measure;
    rft_search_opts search;
    const char **baselines; /* names: "cuBLASLt", "cuBLASLt tf32" */
    size_t baseline_count;
    const rft_sweep_vt *vt;
    void *self;
};

#endif
