/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's side in this process, over pipes: every request has its answer, whatever it is worth. */
#include "run/compile/compile_worker.h"
#include "run/worker/worker.h"

#include "run/wire/wire.h"
#include "support/scripted_compiler.h"
#include "support/scripted_gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct worker_case {
    rft_scripted_gpu *gpu;
    rft_worker_host host;
    int in[2], out[2];
    bool no_compiler, no_driver;
    rft_err err;
} worker_case;

static int compiler_new(void *self, rft_compiler **out, rft_err *err) {
    const worker_case *c = self;
    if (c->no_compiler) {
        rft_err_set(err, RFT_E_COMPILER, "NVRTC is not here");
        return rft_err_remedy(err, "set RFT_NVRTC");
    }
    *out = rft_scripted_compiler_new();
    return RFT_OK;
}

static int gpu_identify(void *self, rft_arena *arena, rft_gpu_info *out, rft_err *err) {
    worker_case *c = self;
    (void)arena;
    if (c->no_driver) {
        rft_err_set(err, RFT_E_DEVICE, "no driver");
        return rft_err_remedy(err, "install one");
    }
    *out = rft_scripted_options(c->gpu)->info;
    return RFT_OK;
}

static int gpu_open(void *self, rft_gpu **out, rft_err *err) {
    worker_case *c = self;
    if (c->no_driver) {
        rft_err_set(err, RFT_E_DEVICE, "no driver");
        return rft_err_remedy(err, "install one");
    }
    *out = rft_scripted_gpu_device(c->gpu);
    c->gpu = NULL; /* the worker closes it */
    return RFT_OK;
}

static void begin(worker_case *c) {
    *c = (worker_case){.gpu = rft_scripted_gpu_new(NULL)};
    c->host = (rft_worker_host){.compiler_new = compiler_new,
                                .gpu_identify = gpu_identify,
                                .gpu_open = gpu_open,
                                .clock = rft_scripted_gpu_clock(c->gpu),
                                .self = c};
    assert_int_equal(pipe(c->in), 0);
    assert_int_equal(pipe(c->out), 0);
}

static void ask(worker_case *c, json_t *head) {
    assert_int_equal(rft_frame_write(c->in[1], head, NULL, 0, &c->err), RFT_OK);
    json_decref(head);
}

/* Everything was asked: the worker answers and ends. */
static int serve(worker_case *c, bool compile) {
    close(c->in[1]);
    int rc = compile ? rft_worker_compile(&c->host, c->in[0], c->out[1], &c->err)
                     : rft_worker_device(&c->host, c->in[0], c->out[1], &c->err);
    close(c->in[0]);
    close(c->out[1]);
    return rc;
}

static rft_frame answer(worker_case *c) {
    rft_frame frame = {0};
    assert_int_equal(rft_frame_read(&frame, c->out[0], &c->err), RFT_OK);
    return frame;
}

static void expect_refusal(worker_case *c, int code, const char *message_part) {
    rft_frame frame = answer(c);
    rft_err said = RFT_ERR_INIT;
    assert_int_equal(rft_wire_to_err(&said, frame.head), code);
    if (!strstr(said.message, message_part)) {
        fail_msg("\"%s\" does not say \"%s\"", said.message, message_part);
    }
    rft_frame_clear(&frame);
}

static void end(worker_case *c) {
    rft_frame frame = {0};
    assert_int_equal(rft_frame_read(&frame, c->out[0], &c->err), 1); /* no answer more than requests */
    close(c->out[0]);
    rft_scripted_gpu_free(c->gpu);
}

static json_t *compile_request(const char *text) {
    static const char *const name = "victim";
    rft_compile_request request = {.source_name = "victim.cu",
                                   .source_text = text,
                                   .source_path = text ? NULL : "/nowhere/victim.cu",
                                   .names = &name,
                                   .name_count = 1,
                                   .arch = "sm_90a"};
    json_t *head = rft_wire_of_compile_request(&request);
    json_object_set_new(head, "do", json_string("compile"));
    return head;
}

static void a_compile_worker_answers_each_request(void **state) {
    (void)state;
    worker_case c;
    rft_arena *arena = rft_arena_new();
    rft_compile_result result;
    begin(&c);
    ask(&c, compile_request(""));
    ask(&c, compile_request(NULL));
    ask(&c, json_pack("{s:s}", "do", "compile"));
    ask(&c, compile_request(""));
    assert_int_equal(serve(&c, true), RFT_OK);
    rft_frame first = answer(&c);
    assert_int_equal(rft_wire_to_compile_result(&result, first.head, first.blob, first.blob_bytes, arena, &c.err), 0);
    assert_true(result.ok && result.entry_count == 1);
    expect_refusal(&c, RFT_E_SOURCE, "/nowhere/victim.cu");
    expect_refusal(&c, RFT_E_WORKER, "source_name");
    rft_frame last = answer(&c);
    assert_int_equal(rft_json_int_or(first.head, "number", 0), 1);
    assert_int_equal(rft_json_int_or(last.head, "number", 0), 4);
    for (int i = 0; i < 2; i++) { /* what may differ */
        assert_true(rft_json_real_or(i ? last.head : first.head, "core_s", -1) >= 0);
        json_object_del(i ? last.head : first.head, "core_s");
        json_object_del(i ? last.head : first.head, "number");
    }
    assert_true(json_equal(first.head, last.head));
    assert_memory_equal(first.blob, last.blob, first.blob_bytes);
    rft_frame_clear(&first);
    rft_frame_clear(&last);
    end(&c);
    rft_arena_free(arena);
}

static void without_a_compiler_every_request_hears_why(void **state) {
    (void)state;
    worker_case c;
    begin(&c);
    c.no_compiler = true;
    ask(&c, compile_request(""));
    ask(&c, compile_request(""));
    assert_int_equal(serve(&c, true), RFT_OK);
    expect_refusal(&c, RFT_E_COMPILER, "NVRTC is not here");
    expect_refusal(&c, RFT_E_COMPILER, "NVRTC is not here");
    end(&c);
}

static void a_device_worker_answers_each_request(void **state) {
    (void)state;
    worker_case c;
    begin(&c);
    ask(&c, json_pack("{s:s}", "do", "device"));
    ask(&c, json_pack("{s:s}", "do", "dance"));
    ask(&c, json_pack("[i]", 1));
    ask(&c, json_pack("{s:s}", "do", "measure"));
    ask(&c, json_pack("{s:s,s:b}", "do", "measure", "expected", 1));
    ask(&c, json_pack("{s:s}", "do", "expect")); /* has no answer, whatever it is */
    ask(&c, json_pack("{s:s,s:b}", "do", "measure", "expected", 1));
    ask(&c, json_pack("{s:s}", "do", "ceilings"));
    assert_int_equal(serve(&c, false), RFT_OK);
    rft_frame frame = answer(&c);
    assert_string_equal(rft_json_text_or(json_object_get(frame.head, "gpu"), "name", ""), "Scripted GPU");
    assert_true(json_is_false(json_object_get(frame.head, "ending")));
    rft_frame_clear(&frame);
    expect_refusal(&c, RFT_E_WORKER, "dance");
    expect_refusal(&c, RFT_E_WORKER, "no request");
    expect_refusal(&c, RFT_E_WORKER, "is missing");
    expect_refusal(&c, RFT_E_WORKER, "was not told");
    expect_refusal(&c, RFT_E_WORKER, "was not told");
    frame = answer(&c);
    assert_true(json_is_object(json_object_get(frame.head, "dram_copy")));
    rft_frame_clear(&frame);
    end(&c);
}

static void a_missing_driver_is_an_answer(void **state) {
    (void)state;
    worker_case c;
    begin(&c);
    c.no_driver = true;
    ask(&c, json_pack("{s:s}", "do", "device"));
    ask(&c, json_pack("{s:s}", "do", "measure"));
    assert_int_equal(serve(&c, false), RFT_OK);
    expect_refusal(&c, RFT_E_DEVICE, "no driver");
    expect_refusal(&c, RFT_E_DEVICE, "no driver");
    end(&c);
}

/* The facts without the device, also where it cannot be opened; nothing is taken on it. */
static void the_device_is_identified_without_opening_it(void **state) {
    (void)state;
    worker_case c;
    rft_arena *arena = rft_arena_new();
    rft_gpu_info gpu;
    rft_env env = {0};
    begin(&c);
    rft_scripted_gpu *untouched = c.gpu;
    ask(&c, json_pack("{s:s}", "do", "identify"));
    ask(&c, json_pack("{s:s}", "do", "identify"));
    assert_int_equal(serve(&c, false), RFT_OK);
    assert_ptr_equal(c.gpu, untouched); /* it was not opened */
    for (int i = 0; i < 2; i++) {
        rft_frame frame = answer(&c);
        assert_int_equal(rft_wire_to_device(&gpu, &env, frame.head, arena, &c.err), RFT_OK);
        assert_string_equal(gpu.uuid, "GPU-scripted");
        assert_string_equal(gpu.name, "Scripted GPU");
        assert_int_equal(rft_json_int_or(frame.head, "number", 0), i + 1);
        rft_frame_clear(&frame);
    }
    end(&c);
    rft_arena_free(arena);
}

/* A worker whose coordinator was gone before it could ask to die with it. It holds both ends of its input: no end of
 * file will tell it. */
static void an_orphan_does_not_live_on(void **state) {
    (void)state;
    int alive[2], ends[2];
    assert_int_equal(pipe(alive), 0);
    pid_t coordinator = fork();
    assert_true(coordinator >= 0);
    if (coordinator == 0) {
        pid_t self = getpid();
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || fork() != 0) {
            _exit(0);
        }
        while (getppid() == self) {
            usleep(1000);
        }
        worker_case c;
        begin(&c);
        rft_worker_device(&c.host, ends[0], ends[1], &c.err);
        _exit(0);
    }
    close(alive[1]);
    assert_int_equal(waitpid(coordinator, NULL, 0), coordinator);
    struct pollfd waiting = {.fd = alive[0], .events = POLLIN};
    assert_int_equal(poll(&waiting, 1, 10000), 1); /* its end of the pipe was the last */
    close(alive[0]);
}

static void garbage_ends_a_worker(void **state) {
    (void)state;
    for (int compile = 0; compile < 2; compile++) {
        worker_case c;
        begin(&c);
        assert_int_equal(write(c.in[1], "this is not a frame --", 22), 22);
        assert_int_equal(serve(&c, compile), RFT_E_WORKER);
        assert_true(strlen(c.err.message) > 10);
        end(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_compile_worker_answers_each_request),
        cmocka_unit_test(without_a_compiler_every_request_hears_why),
        cmocka_unit_test(a_device_worker_answers_each_request),
        cmocka_unit_test(a_missing_driver_is_an_answer),
        cmocka_unit_test(the_device_is_identified_without_opening_it),
        cmocka_unit_test(an_orphan_does_not_live_on),
        cmocka_unit_test(garbage_ends_a_worker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
