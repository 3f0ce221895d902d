/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roots.h - the folders that a sweep may read from. A path is inside when, with every symbolic link resolved, it is one
 * of them or lies below one.
 */
#ifndef RFT_BASE_ROOTS_H
#define RFT_BASE_ROOTS_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

typedef struct rft_roots {
    const char **folders; /* absolute, links resolved */
    size_t count, capacity;
} rft_roots;

/* One that does not exist holds nothing and is left out. */
void rft_roots_add(rft_roots *roots, const char *folder, rft_arena *arena);
/* The tree of a sweep: the folder of its file, that of the file it is a link to, and the folder `kernels` in these and
 * in every folder above, where require() finds its modules. */
void rft_roots_add_tree(rft_roots *roots, const char *sweep, rft_arena *arena);

/* RFT_E_SCRIPT unless they hold the path; the remedy names --allow-path. A path that does not exist is judged by the
 * folder it would be in. `roots` NULL: everything is allowed. */
int rft_roots_check(const rft_roots *roots, const char *path, rft_err *err);

#endif
