/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine.h - a worker gives up what it does not need, for itself and for every process it makes from then on: files by
 * Landlock, the internet by seccomp. Both need no privilege and cannot be taken back. Where the kernel lacks one of
 * them (Landlock is there from Linux 5.13 on, and may be switched off), the other still holds.
 */
#ifndef RFT_RUN_CONFINE_H
#define RFT_RUN_CONFINE_H

#include "base/arena.h"

#include <stddef.h>

/* What is left: paths of folders, with all below them, or of files. What does not exist is passed over. */
typedef struct rft_confinement {
    const char **read; /* files may be read and programs started */
    size_t read_count;
    const char **write; /* the same, and files written, made and removed */
    size_t write_count;
} rft_confinement;

void rft_confinement_add_read(rft_confinement *confinement, const char *path, rft_arena *arena);
void rft_confinement_add_write(rft_confinement *confinement, const char *path, rft_arena *arena);

/* Looks up the paths. Returns a descriptor for rft_confine_enter(), owned; -1 where there is no Landlock. */
int rft_confine_prepare(const rft_confinement *confinement);
/* The calling thread and what it starts are confined from here on; `rules` may be -1. Nothing else can open an internet
 * socket either. Open descriptors stay as they are. */
void rft_confine_enter(int rules);

/* What confines workers here: "Landlock 7 and seccomp"; NULL: nothing, and *why says why. Static or in the arena. */
const char *rft_confine_describe(rft_arena *arena, const char **why);

#endif
