/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repeat.h - two intervals of a time that was measured in several processes. Pure arithmetic.
 *
 * A process is a draw of its own: fresh context, fresh allocations. In logarithms the median of process p of kernel k
 * is y_kp = mu_k + b_kp + e_kp: b between processes, e because its samples are few. More samples shrink e, only more
 * processes shrink b.
 *
 * Figure: the mean of the y_kp (the geometric mean of the processes' medians). Both intervals are 95 %:
 *
 *   confidence  of this card's median, the pooled median of many processes. t s / sqrt(P) on both sides of the figure,
 *               and further towards the pooled median of these processes, by as much as it lies off beyond chance
 *               (James & Stein): the two differ where modes are unequal.
 *   repeat      of the figure that another run with as many processes would read: t s sqrt(2 / P) about the figure.
 *
 * s, the standard deviation between medians of processes, depends on the kernel's time, and a few processes tell it
 * badly. So each kernel's own variance (P - 1 degrees of freedom) is drawn towards a line through those of the problems
 * of its run over the logarithm of time, by as many degrees of freedom as the scatter about that line leaves it
 * (empirical Bayes: Smyth, Statistical Applications in Genetics and Molecular Biology 3 (2004) 3). Where kernels
 * differ, each keeps its own. tests/unit/test_model_repeat.c shows what both cover.
 */
#ifndef RFT_MODEL_REPEAT_H
#define RFT_MODEL_REPEAT_H

#include "model/stats/stats.h"

/* What runs of one card differ by beyond their processes (minutes, temperature), as 1.96 standard deviations; in both
 * intervals. Source: bench/same_again, six to eight runs in 8 minutes on each of two H200s: 0.00 % (0.00 to 0.04) of
 * 153 kernels of 0.2 ms and more. Of all 520 it was 0.13 % (0.00 to 0.24): short ones, whose processes give so much
 * more that it is not told from nothing. */
#define RFT_REPEAT_FLOOR_FRAC 0.0003
/* 1.96 standard deviations between processes are never taken for less: that few medians agree is luck. */
#define RFT_REPEAT_LEAST_FRAC 0.0002
/* Under so many degrees of freedom (six processes of one kernel, or fewer of several) a repeat interval is known, but
 * no reason to stop taking processes. */
#define RFT_REPEAT_LEAST_FREEDOM 5.0

/* What was measured of one kernel on one problem. */
typedef struct rft_repeat_item {
    const double *medians; /* of each process, > 0, one unit for all items; borrowed */
    size_t count;          /* of processes; 0: nothing was measured, or it is not known */
    double pooled;         /* median of all samples of all processes together */
    double low, high;      /* 95 % interval of the median within the one process, where count is 1; NaN: not known */
    double step;           /* of the timer, as it shows in a median: 0 = none */
    size_t problem;        /* kernels of one share buffers, and so part of their luck in a process */
} rft_repeat_item;

typedef struct rft_repeat {
    double figure;                  /* unit of the medians; NaN: nothing was measured */
    double low, high;               /* confidence; of this process only where nothing is known between processes */
    double repeat_low, repeat_high; /* NaN: not known, it needs two processes (of this kernel, or of others) */
    size_t processes;               /* as in the item */
    bool pooled;                    /* other problems of the run have a say in the deviation */
    double deviation_frac;          /* 1.96 standard deviations between medians of processes; NaN = not known */
    double freedom;                 /* degrees of freedom of that deviation; 0 = not known */
    double other_freedom;           /* of them from other kernels: what a further process does not add to */
} rft_repeat;

/* Nothing is known: NaN everywhere, no processes. */
rft_repeat rft_repeat_none(void);

/* Items of one run, in any order; the first `pooled` of them tell the variance between processes (not those behind,
 * which are the same samples again); out: one each. */
void rft_repeat_of(const rft_repeat_item *items, size_t pooled, size_t count, rft_repeat *out);

/* Is it known what another run would read? */
bool rft_repeat_is_known(const rft_repeat *repeat);

/* Both known: a tie, where another run of one could read what the other reads: a figure lies in the other's repeat
 * interval, moved out by `widen_frac` of the figure on both sides, or the two differ by less than rft_stats_tie() tells
 * apart. */
bool rft_repeat_tie(const rft_repeat *a, double widen_a_frac, const rft_repeat *b, double widen_b_frac);

/* Half the repeat interval over the figure; NaN = not known. */
double rft_repeat_half_width_frac(const rft_repeat *repeat);

/* Is the repeat interval known by enough degrees of freedom, and within +- margin_frac of the figure? */
bool rft_repeat_within(const rft_repeat *repeat, double margin_frac);

/* So many processes bring the repeat interval within +- margin_frac, by the deviation known now. 0: it is not known, or
 * what runs differ by beyond processes is too much for any number. */
size_t rft_repeat_processes_for(const rft_repeat *repeat, double margin_frac);

/* Standard deviation of ln(figure) from run to run, the floor included: sd of the difference of two is hypot() of both.
 * NaN = not known. */
double rft_repeat_figure_deviation(const rft_repeat *repeat);

/* Quantile of Student's t that leaves `tail` on both sides together: rft_student_t(0.05, 5) = 2.571. freedom >= 1, need
 * not be whole (Hill, Communications of the ACM 13 (1970) 619, algorithm 396). */
double rft_student_t(double tail, double freedom);
/* The same of the normal distribution: rft_normal_quantile(0.05) = 1.960. */
double rft_normal_quantile(double tail);

#endif
