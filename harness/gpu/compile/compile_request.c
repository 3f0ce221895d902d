/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fs.h"
#include "gpu/compiler.h"

rft_compile_request rft_compile_request_of(const rft_unit_spec *unit, const char *arch) {
    return (rft_compile_request){
        .source_name = rft_fs_name(unit->source),
        .source_path = unit->source,
        .names = (const char *const *)unit->names,
        .name_count = unit->name_count,
        .options = (const char *const *)unit->options,
        .option_count = unit->option_count,
        .arch = arch,
    };
}
