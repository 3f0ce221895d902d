/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compile worker. What NVRTC 13.0 makes of a source depends on what its process compiled before: 17 of 553 matrix
 * kernels came out with other registers when only the order was changed. So every request is served by a child forked
 * from a process that has compiled nothing but the compiler's own probe: the same source gives the same cubin, in any
 * order, with any number of workers. The child reads the request itself, so that this process stays as it was.
 */
#include "run/compile/compile_worker.h"
#include "run/compile/compile_memory.h"
#include "run/worker/worker_answer.h"

#include "base/units.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How a child ends; whatever else it ends with was not its own will (a compiler may call exit()). */
enum { CHILD_ANSWERED = 64, CHILD_SAW_THE_END, CHILD_BROKE_OFF };

/* Written by the child, read when it is dead. */
typedef struct child_notes {
    bool begun;            /* it has begun to write its answer */
    uint64_t memory_bytes; /* what it may take; 0: no limit */
    bool alone;            /* nothing else is compiled: it is the second time */
    char macros[320];      /* of the request, most suspect: "-DReal=float" */
} child_notes;

typedef struct compile_server {
    rft_compiler *compiler; /* NULL: `opening` says why */
    rft_err opening;
    const rft_roots *roots;
    bool confined;
    int rules; /* with `confined`: of rft_confine_prepare() */
    int in_fd, out_fd;
    uint64_t memory_bytes;
    int64_t number;              /* of the request in hand */
    volatile child_notes *notes; /* shared with the child */
} compile_server;

static double core_seconds(const struct rusage *usage) {
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1e-6;
}

static int send_answer(compile_server *server, json_t *head, const rft_compile_result *result,
                       const struct rusage *usage, rft_err *err) {
    rft_worker_blob blob = {0};
    if (result) {
        blob = (rft_worker_blob){result->cubin, result->cubin_bytes};
    }
    json_object_set_new(head, "core_s", rft_json_real_new(core_seconds(usage)));
    server->notes->begun = true;
    return rft_worker_answer(server->out_fd, head, blob, server->number, err);
}

/* ", twice, the second time alone; it may use at most 4 GiB" */
static void add_circumstances(rft_str *text, const compile_server *server) {
    char size[32];
    rft_str_add(text, server->notes->alone ? ", twice, the second time alone" : "");
    if (server->notes->memory_bytes) {
        rft_units_format_bytes(size, sizeof size, server->notes->memory_bytes);
        rft_str_addf(text, "; it may use at most %s", size);
    }
}

/* A compiler that notices that memory is short says so in its log; nothing there hints at a limit. */
static bool explain(const compile_server *server, rft_compile_result *result, rft_arena *arena) {
    bool starved = !result->ok && result->log && strstr(result->log, "out of memory");
    if (starved) {
        rft_str text = RFT_STR_INIT;
        rft_str_addf(&text, "%s\nrooftune: the compiler ran out of memory", result->log);
        add_circumstances(&text, server);
        result->log = rft_arena_strdup(arena, rft_str_get(&text));
        rft_str_clear(&text);
    }
    return starved;
}

static bool is_suspect(const char *option, bool types_only) {
    const char *value = rft_text_starts(option, "-D") ? strchr(option, '=') : NULL;
    double number = 0;
    return value && !(types_only && rft_text_to_double(value + 1, &number));
}

/* A crash of the compiler leaves no log. What has been seen to crash it is a macro in the place of a name, a type's
 * before all. */
static void note_macros(compile_server *server, const rft_compile_request *request) {
    rft_str text = RFT_STR_INIT;
    for (int types_only = 1; types_only >= 0 && text.length == 0; types_only--) {
        for (size_t i = 0; i < request->option_count; i++) {
            const char *option = request->options[i];
            if (is_suspect(option, types_only) && text.length + strlen(option) + 2 < sizeof server->notes->macros) {
                rft_str_addf(&text, "%s%s", text.length ? " " : "", option);
            }
        }
    }
    memcpy((char *)(uintptr_t)server->notes->macros, rft_str_get(&text), text.length + 1);
    rft_str_clear(&text);
}

static int answer_compile(compile_server *server, const rft_frame *frame, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_err failure = RFT_ERR_INIT;
    rft_compile_request request;
    rft_compile_result result = {0};
    struct rusage usage = {0};
    int rc = rft_wire_to_compile_request(&request, frame->head, arena, &failure);
    request.roots = server->roots;
    if (rc == RFT_OK) {
        note_macros(server, &request);
        rc = server->compiler->compile(server->compiler, &request, arena, &result, &failure);
    }
    bool starved = rc == RFT_OK && explain(server, &result, arena);
    json_t *head = rft_worker_answer_of(rc, rc == RFT_OK ? rft_wire_of_compile_result(&result) : NULL, &failure);
    json_object_set_new(head, "starved", json_boolean(starved));
    getrusage(RUSAGE_SELF, &usage);
    rc = send_answer(server, head, rc == RFT_OK ? &result : NULL, &usage, err);
    rft_arena_free(arena);
    return rc;
}

static int answer_compiler(compile_server *server, const rft_frame *frame, rft_err *err) {
    rft_compiler *compiler = server->compiler;
    const char *arch = rft_json_text_or(frame->head, "arch", "");
    rft_compiler_facts facts = {.knows_arch = compiler->knows_arch(compiler, arch)};
    facts.compiles = facts.knows_arch || rft_compiler_knows_below(compiler, arch);
    snprintf(facts.version, sizeof facts.version, "%s", compiler->version(compiler));
    server->notes->begun = true;
    return rft_worker_answer(server->out_fd, rft_wire_of_compiler_facts(&facts), (rft_worker_blob){0}, server->number,
                             err);
}

/* The request gets the reason why it cannot be served. */
static int refuse_request(compile_server *server, const rft_err *reason, rft_err *err) {
    server->notes->begun = true;
    return rft_worker_answer(server->out_fd, rft_wire_of_err(reason), (rft_worker_blob){0}, server->number, err);
}

static int answer(compile_server *server, const rft_frame *frame, rft_err *err) {
    if (!server->compiler) {
        return refuse_request(server, &server->opening, err);
    }
    return strcmp(rft_json_text_or(frame->head, "do", ""), "compiler") == 0 ? answer_compiler(server, frame, err)
                                                                            : answer_compile(server, frame, err);
}

/* A request that ran out of memory comes again with more of it, when nothing else is compiled. */
static void take_room(compile_server *server, const json_t *head) {
    uint64_t wanted = (uint64_t)rft_json_int_or(head, "memory_bytes", 0);
    server->notes->alone = wanted > 0;
    if (wanted > server->memory_bytes && server->memory_bytes > 0) {
        rft_compile_memory_raise(wanted - server->memory_bytes);
        server->notes->memory_bytes = wanted;
    }
}

/* One request from reading it to answering it, in a child of its own. Does not return. */
static _Noreturn void serve_in_child(compile_server *server, pid_t parent) {
    rft_frame frame = {0};
    rft_err err = RFT_ERR_INIT;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* the time limit ends the worker, and this with it */
    if (getppid() != parent) {
        _exit(CHILD_BROKE_OFF); /* it was ended before it could take us along */
    }
    rft_compile_memory_limit(server->memory_bytes);
    if (server->confined) {
        rft_confine_enter(server->rules);
    }
    int rc = rft_frame_read(&frame, server->in_fd, &err);
    if (rc == RFT_OK) {
        take_room(server, frame.head);
        rc = answer(server, &frame, &err);
        _exit(rc == RFT_OK ? CHILD_ANSWERED : CHILD_BROKE_OFF);
    }
    _exit(rc == 1 ? CHILD_SAW_THE_END : CHILD_BROKE_OFF);
}

/* SIGKILL comes from the system when memory is short, or from a person; a compiler that cannot allocate aborts. */
static bool has_starved(const compile_server *server, int status, const struct rusage *usage) {
    uint64_t most_bytes = (uint64_t)usage->ru_maxrss << 10, may_bytes = server->notes->memory_bytes;
    return WIFSIGNALED(status) &&
           (WTERMSIG(status) == SIGKILL || (WTERMSIG(status) == SIGABRT && may_bytes && most_bytes > may_bytes / 2));
}

/* The child died over its request: that is the configuration's failure to compile, with the way it died as the log. */
static int answer_for_the_dead(compile_server *server, int status, const struct rusage *usage, rft_err *err) {
    rft_str log = RFT_STR_INIT;
    if (WIFSIGNALED(status)) {
        rft_str_addf(&log, "the compiler's process was ended by signal %d (%s)", WTERMSIG(status),
                     strsignal(WTERMSIG(status)));
    } else {
        rft_str_addf(&log, "the compiler's process ended with status %d", WEXITSTATUS(status));
    }
    add_circumstances(&log, server);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV && server->notes->macros[0]) {
        rft_str_addf(&log,
                     ": a fault of the compiler's, which a macro in the place of a name can set off; the macros here: "
                     "%s. Name such a parameter in entry, or rename one of the two",
                     (const char *)(uintptr_t)server->notes->macros);
    }
    rft_compile_result result = {.ok = false, .log = rft_str_get(&log)};
    json_t *head = rft_wire_of_compile_result(&result);
    json_object_set_new(head, "starved", json_boolean(has_starved(server, status, usage)));
    int rc = send_answer(server, head, NULL, usage, err);
    rft_str_clear(&log);
    return rc;
}

/* Processes may be short for a moment on a machine that many use. */
static pid_t fork_patiently(void) {
    const struct timespec pause = {.tv_nsec = 100000000};
    pid_t child = fork();
    for (int attempt = 0; child < 0 && attempt < 20; attempt++) {
        nanosleep(&pause, NULL);
        child = fork();
    }
    return child;
}

/* Without a child the request is read here, so that it can be refused. */
static int refuse_unserved(compile_server *server, rft_err *err) {
    rft_frame frame = {0};
    rft_err reason = RFT_ERR_INIT;
    rft_err_set(&reason, RFT_E_WORKER, "a compile worker cannot start a process: %s", strerror(errno));
    rft_err_remedy(&reason, "check the limits on processes (ulimit -u) and the memory that is free");
    int rc = rft_frame_read(&frame, server->in_fd, err);
    rc = rc == RFT_OK ? refuse_request(server, &reason, err) : rc;
    rft_frame_clear(&frame);
    return rc;
}

/* Returns 1 at the end of the input. */
static int serve_one(compile_server *server, rft_err *err) {
    int status = 0;
    struct rusage usage = {0};
    pid_t self = getpid();
    server->number++;
    server->notes->begun = server->notes->alone = false;
    server->notes->macros[0] = '\0';
    server->notes->memory_bytes = server->memory_bytes;
    pid_t child = fork_patiently();
    if (child == 0) {
        serve_in_child(server, self);
    }
    if (child < 0) {
        return refuse_unserved(server, err);
    }
    while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (code == CHILD_SAW_THE_END || (code == CHILD_ANSWERED && server->notes->begun)) {
        return code == CHILD_SAW_THE_END;
    }
    if (code == CHILD_BROKE_OFF || server->notes->begun) { /* half an answer cannot be mended */
        return rft_err_set(err, RFT_E_WORKER, "compile worker: a request or its answer broke off");
    }
    return answer_for_the_dead(server, status, &usage, err);
}

/* The children are confined, each before it takes its request: the limits of memory are set through /proc. */
static void prepare_confinement(compile_server *server, const rft_confinement *wanted) {
    rft_arena *arena = rft_arena_new();
    rft_confinement confinement = *wanted;
    const char *const *folders = NULL;
    size_t count =
        server->compiler && server->compiler->folders ? server->compiler->folders(server->compiler, &folders) : 0;
    for (size_t i = 0; i < count; i++) {
        rft_confinement_add_read(&confinement, folders[i], arena);
    }
    server->rules = rft_confine_prepare(&confinement);
    server->confined = true;
    rft_arena_free(arena);
}

/* Waits until a request is there, without taking a byte of it. False when the input has ended. */
static bool request_waits(int in_fd) {
    struct pollfd input = {.fd = in_fd, .events = POLLIN};
    while (poll(&input, 1, -1) < 0 && errno == EINTR) {
    }
    return (input.revents & POLLIN) != 0;
}

int rft_worker_compile(const rft_worker_host *host, int in_fd, int out_fd, rft_err *err) {
    compile_server server = {
        .roots = host->roots, .in_fd = in_fd, .out_fd = out_fd, .memory_bytes = host->compile_memory_bytes};
    int rc = RFT_OK;
    rft_worker_become(in_fd);
    if (nice(10) == -1) {
        rft_log_debug(host->log, "compile worker: niceness not changed");
    }
    void *shared = mmap(NULL, sizeof *server.notes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        return rft_err_set(err, RFT_E_WORKER, "compile worker: no memory to share: %s", strerror(errno));
    }
    server.notes = shared;
    if (host->compiler_new(host->self, &server.compiler, &server.opening) != RFT_OK) {
        server.compiler = NULL;
    }
    if (host->confinement) {
        prepare_confinement(&server, host->confinement);
    }
    while (rc == RFT_OK && request_waits(in_fd)) {
        rc = serve_one(&server, err);
    }
    if (server.compiler) {
        server.compiler->free(server.compiler);
    }
    munmap(shared, sizeof *server.notes);
    if (server.confined && server.rules >= 0) {
        close(server.rules);
    }
    return rc == 1 ? RFT_OK : rc;
}
