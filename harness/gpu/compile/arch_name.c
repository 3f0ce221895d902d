/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/arch_name.h"

#include "base/str.h"
#include "gpu/compiler.h"

#include <stdlib.h>
#include <string.h>

rft_arch rft_arch_of(const char *name) {
    rft_arch arch = {0};
    if (!name || strncmp(name, "sm_", 3) != 0) {
        return arch;
    }
    char *end = NULL;
    long number = strtol(name + 3, &end, 10);
    if (end == name + 3 || number < 10 || number > 999) {
        return arch;
    }
    if (*end == 'a' || *end == 'f') {
        arch.suffix = *end++;
    }
    arch.number = *end ? 0 : (int)number;
    return arch;
}

bool rft_arch_runs_cubin(rft_arch made_for, rft_arch device) {
    return made_for.suffix == 'a' ? made_for.number == device.number
                                  : made_for.number / 10 == device.number / 10 && made_for.number <= device.number;
}

bool rft_compiler_knows_below(rft_compiler *compiler, const char *arch) {
    enum { OLDEST = 50 };
    char older[16];
    bool knows = false;
    for (int number = rft_arch_of(arch).number - 1; number >= OLDEST && !knows; number--) {
        rft_text_format(older, sizeof older, "sm_%d", number);
        knows = compiler->knows_arch(compiler, older);
    }
    return knows;
}

bool rft_arch_takes_ptx(rft_arch target, rft_arch device) {
    return target.suffix ? rft_arch_runs_cubin(target, device) : target.number <= device.number;
}
