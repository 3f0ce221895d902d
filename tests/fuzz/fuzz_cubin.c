/* SPDX-License-Identifier: Apache-2.0 */
/* A given cubin or PTX, as it comes from elsewhere: looked at without a fault, and refused with a text or accepted with
 * every entry found. */
#include "fuzz/fuzz.h"
#include "gpu/compile/given_binary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void look_inside(const void *code, size_t bytes, const char *symbol, rft_arena *arena) {
    uint32_t sizes[64];
    rft_variable *variables = NULL;
    require(rft_cubin_params(code, bytes, symbol, sizes, 64) <= 64);
    rft_cubin_needs(code, bytes, symbol);
    require(rft_given_describe(code, bytes, arena) != NULL);
    rft_code_variables(code, bytes, &variables, arena);
}

static void compile(const char *path, const char *name, const char *arch) {
    rft_arena *arena = rft_arena_new();
    rft_compile_result result;
    rft_err err = RFT_ERR_INIT;
    const rft_compile_request request = {
        .source_name = "fuzz.cubin", .source_path = path, .names = &name, .name_count = 1, .arch = arch};
    const rft_given given = {&request, NULL, arena};
    if (rft_given_compile(&given, &result, &err) != RFT_OK) {
        require(err.message[0] != '\0');
    } else if (result.ok) {
        require(result.entry_count == 1 && result.entries[0].symbol && result.cubin_bytes > 0);
        look_inside(result.cubin, result.cubin_bytes, result.entries[0].symbol, arena);
    } else {
        require(result.log && *result.log);
    }
    rft_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[40];
    char *text = rft_alloc(size + 1);
    rft_arena *arena = rft_arena_new();
    memcpy(text, data, size);
    text[size] = '\0';
    look_inside(text, size, "k", arena);
    rft_arena_free(arena);
    free(text);
    int file = memfd_create("fuzz", 0);
    require(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    compile(path, "k", "sm_90a");
    compile(path, "none", "sm_90a");
    compile(path, "k", "compute_90a");
    close(file);
    return 0;
}
