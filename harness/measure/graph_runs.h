/* SPDX-License-Identifier: Apache-2.0 */
/* graph_runs.h - runs of a point recorded in CUDA graphs, which samples launch in turn. */
#ifndef RFT_MEASURE_GRAPH_RUNS_H
#define RFT_MEASURE_GRAPH_RUNS_H

#include "measure/point_job.h"

/* With rotating buffers a graph for each `runs` sets in a row, else one; none: launches go into the stream. */
typedef struct rft_graph_runs {
    rft_graph **items; /* of the point's arena */
    size_t count, runs;
} rft_graph_runs;

/* What queue(self) puts into the stream, as a graph, which is not launched; NULL with an error. graph_free() it. */
int rft_graph_record(rft_gpu *gpu, int (*queue)(void *self, rft_err *err), void *self, rft_graph **out, rft_err *err);

/* Records `runs` (a power of two) runs of all launches of the point, over all sets, and launches the first graph once,
 * untimed. Where the driver cannot, the point is skipped with the reason. */
int rft_graph_runs_record(rft_point_job *job, size_t runs, rft_graph_runs *out, rft_err *err);
/* Behind rft_rotation_begin(): the graph of the sets whose turn it is, in stream order. */
int rft_graph_runs_launch(rft_point_job *job, const rft_graph_runs *graphs, rft_err *err);
void rft_graph_runs_free(rft_point_job *job, const rft_graph_runs *graphs);

#endif
