/* SPDX-License-Identifier: Apache-2.0 */
/* host_env.c - what is recorded of the host and of this program (docs/environment.md). */
#include "cli/host_env.h"

#include "base/fs.h"
#include "base/hash.h"
#include "revision.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* The value behind "key : value" in a /proc file, "" when it is not there. */
static const char *proc_value(rft_arena *arena, const char *path, const char *key) {
    char *text = NULL;
    size_t size = 0;
    const char *value = "";
    if (rft_fs_read(&text, &size, path, 16u << 20, NULL) != RFT_OK) {
        return value;
    }
    const char *at = strstr(text, key);
    const char *colon = at ? strchr(at, ':') : NULL;
    if (colon) {
        colon += 1 + strspn(colon + 1, " \t");
        value = rft_arena_strndup(arena, colon, strcspn(colon, "\n"));
    }
    free(text);
    return value;
}

static const char *first_line(rft_arena *arena, const char *path) {
    char *text = NULL;
    size_t size = 0;
    const char *line = "";
    if (rft_fs_read(&text, &size, path, 1u << 16, NULL) == RFT_OK) {
        line = rft_arena_strndup(arena, text, strcspn(text, "\n"));
    }
    free(text);
    return line;
}

static void set_or_reason(rft_env *env, rft_arena *arena, const char *key, const char *value, const char *reason) {
    rft_env_set(env, arena, key, *value ? value : NULL, *value ? NULL : reason);
}

/* How often "physical id" changes its value: sockets are numbered. 0: not told. */
static int count_sockets(void) {
    char *text = NULL;
    size_t size = 0;
    long most = -1;
    if (rft_fs_read(&text, &size, "/proc/cpuinfo", 16u << 20, NULL) != RFT_OK) {
        return 0;
    }
    for (const char *at = strstr(text, "physical id"); at; at = strstr(at + 1, "physical id")) {
        const char *colon = strchr(at, ':');
        long id = colon ? strtol(colon + 1, NULL, 10) : -1;
        most = id > most ? id : most;
    }
    free(text);
    return (int)most + 1;
}

static void add_processors(rft_env *env, rft_arena *arena) {
    cpu_set_t usable;
    int sockets = count_sockets();
    rft_env_set(env, arena, "host.cores", rft_arena_printf(arena, "%ld", sysconf(_SC_NPROCESSORS_ONLN)), NULL);
    bool told = sched_getaffinity(0, sizeof usable, &usable) == 0;
    rft_env_set(env, arena, "host.cores_usable", told ? rft_arena_printf(arena, "%d", CPU_COUNT(&usable)) : NULL,
                told ? NULL : "the kernel does not say");
    rft_env_set(env, arena, "host.sockets", sockets ? rft_arena_printf(arena, "%d", sockets) : NULL,
                sockets ? NULL : "/proc/cpuinfo does not say");
    set_or_reason(env, arena, "host.cpu_governor",
                  first_line(arena, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
                  "the kernel sets no frequencies here");
    set_or_reason(env, arena, "host.load_average", first_line(arena, "/proc/loadavg"), "/proc/loadavg does not say");
}

/* What a user may have set that changes what a CUDA program does; names and values. */
static void add_settings(rft_env *env, rft_arena *arena) {
    static const char *const names[] = {
        "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",    "CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX_CONNECTIONS",
        "CUDA_MODULE_LOADING",  "CUDA_DISABLE_PTX_JIT", "CUDA_FORCE_PTX_JIT",   "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
        "NVIDIA_TF32_OVERRIDE", "CUBLASLT_LOG_LEVEL"};
    rft_str set = RFT_STR_INIT;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value) {
            rft_str_addf(&set, "%s%s=%s", set.length ? " " : "", names[i], value);
        }
    }
    rft_env_set(env, arena, "host.cuda_variables", set.length ? rft_str_get(&set) : "none set", NULL);
    rft_str_clear(&set);
    const char *locale = getenv("LC_ALL");
    locale = locale && *locale ? locale : getenv("LC_NUMERIC");
    locale = locale && *locale ? locale : getenv("LANG");
    rft_env_set(env, arena, "host.locale", locale && *locale ? locale : "C", NULL);
    char libc[64] = "";
    bool told = confstr(_CS_GNU_LIBC_VERSION, libc, sizeof libc) > 0;
    rft_env_set(env, arena, "host.libc", told ? libc : NULL, told ? NULL : "the C library does not say");
}

/* machine-id(5) asks to publish it hashed only, and with something of the program's own. */
static const char *host_id(rft_arena *arena) {
    char hex[RFT_HASH_HEX_SIZE];
    rft_sha256 hash;
    const char *id = first_line(arena, "/etc/machine-id");
    rft_sha256_init(&hash);
    rft_sha256_add_text(&hash, "rooftune host");
    rft_sha256_add_text(&hash, id);
    rft_sha256_hex(&hash, hex);
    return *id ? rft_arena_strndup(arena, hex, 12) : "";
}

/* "job 12, array task 3, node n1, partition p, restarted 1 times"; "" outside of one. */
static const char *slurm_job(rft_arena *arena) {
    static const char *const facts[][2] = {
        {"SLURM_JOB_ID", "job"},     {"SLURM_ARRAY_JOB_ID", "array"},      {"SLURM_ARRAY_TASK_ID", "task"},
        {"SLURMD_NODENAME", "node"}, {"SLURM_JOB_PARTITION", "partition"}, {"SLURM_RESTART_COUNT", "restarts"}};
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < sizeof facts / sizeof *facts && getenv("SLURM_JOB_ID"); i++) {
        const char *value = getenv(facts[i][0]);
        if (value && *value) {
            rft_str_addf(&text, "%s%s %s", text.length ? ", " : "", facts[i][1], value);
        }
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

void rft_host_env(rft_env *env, rft_arena *arena) {
    struct utsname system;
    set_or_reason(env, arena, "host.id", host_id(arena), "/etc/machine-id does not say");
    set_or_reason(env, arena, "host.cpu", proc_value(arena, "/proc/cpuinfo", "model name"),
                  "/proc/cpuinfo does not say");
    set_or_reason(env, arena, "host.memory", proc_value(arena, "/proc/meminfo", "MemTotal"),
                  "/proc/meminfo does not say");
    add_processors(env, arena);
    if (uname(&system) == 0) {
        rft_env_set(env, arena, "host.kernel", rft_arena_printf(arena, "%s %s", system.sysname, system.release), NULL);
        rft_env_set(env, arena, "host.machine", system.machine, NULL);
    }
    char *release = NULL;
    size_t size = 0;
    const char *name = NULL;
    if (rft_fs_read(&release, &size, "/etc/os-release", 1u << 20, NULL) == RFT_OK) {
        const char *at = strstr(release, "PRETTY_NAME=\"");
        name = at ? rft_arena_strndup(arena, at + 13, strcspn(at + 13, "\"")) : NULL;
    }
    rft_env_set(env, arena, "host.os", name, name ? NULL : "/etc/os-release does not say");
    free(release);
    add_settings(env, arena);
    set_or_reason(env, arena, "host.slurm", slurm_job(arena), "no job of Slurm's");
    rft_env_set(env, arena, "rooftune.version", RFT_VERSION, NULL);
    rft_env_set(env, arena, "rooftune.revision", RFT_REVISION, NULL);
    rft_env_set(env, arena, "rooftune.compiler", COMPILER, NULL);
}
