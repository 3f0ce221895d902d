/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/given_binary.h"

#include "base/fs.h"
#include "base/str.h"
#include "gpu/compile/cubin_elf.h"
#include "gpu/compile/cubin_hash.h"
#include "gpu/compile/jit_link.h"
#include "gpu/compile/ptx_scan.h"
#include "gpu/compile/ptxas_log.h"
#include "model/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

#define MACHINE_CUDA 190
#define FATBIN_MAGIC "\x50\xed\x55\xba"
#define KERNELS_MAX 4096         /* that are looked at */
#define KERNELS_TOLD 8           /* in a message */
#define RESERVED_BYTES 1024      /* since sm_90 the system's part is in every kernel's section of shared memory */
#define ATTRIBUTE_FRAME 0x11     /* EIATTR_FRAME_SIZE: symbol, bytes of stack */
#define ATTRIBUTE_REGISTERS 0x2f /* EIATTR_REGCOUNT: symbol, registers a thread */

/* The file in hand. */
typedef struct given_file {
    const rft_given *given;
    const char *name; /* of the file, in messages */
    char *code;       /* with a NUL behind it */
    size_t bytes;
    rft_arch device;
    rft_compile_result *out;
} given_file;

static void refuse(const given_file *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void refuse(const given_file *l, const char *format, ...) {
    rft_str text = RFT_STR_INIT;
    va_list args;
    va_start(args, format);
    rft_str_addf(&text, "rooftune: %s ", l->name);
    rft_str_addv(&text, format, args);
    va_end(args);
    l->out->log = rft_arena_strdup(l->given->arena, rft_str_get(&text));
    rft_str_clear(&text);
}

static const char *arch_text(const given_file *l, rft_arch arch) {
    return arch.suffix ? rft_arena_printf(l->given->arena, "sm_%d%c", arch.number, arch.suffix)
                       : rft_arena_printf(l->given->arena, "sm_%d", arch.number);
}

/* ---- entries ---- */

typedef struct kernel_names {
    const char *items[KERNELS_MAX];
    size_t count;
} kernel_names;

static void list_cubin(const rft_cubin_elf *elf, kernel_names *names) {
    rft_cubin_kernels kernels = {.elf = elf};
    while (names->count < KERNELS_MAX && rft_cubin_next_kernel(&kernels)) {
        names->items[names->count++] = kernels.name;
    }
}

static void list_ptx(const given_file *l, kernel_names *names) {
    rft_ptx_text text = {l->code, l->code + l->bytes};
    rft_ptx_entry entry;
    while (names->count < KERNELS_MAX && rft_ptx_next(&text, &entry)) {
        names->items[names->count++] = rft_arena_strndup(l->given->arena, entry.name.text, entry.name.length);
    }
}

/* A symbol holds the name that its source has: "saxpy" is in "_Z5saxpyfPKfPf". */
static const char *nearest(const kernel_names *names, const char *asked) {
    size_t plain = strcspn(asked, "<");
    for (size_t i = 0; i < names->count; i++) {
        const char *at = strchr(names->items[i], asked[0]);
        while (at && strncmp(at, asked, plain) != 0) {
            at = strchr(at + 1, asked[0]);
        }
        if (at) {
            return names->items[i];
        }
    }
    return rft_text_nearest(asked, names->items, names->count);
}

static void refuse_entry(const given_file *l, const kernel_names *names, const char *asked) {
    rft_str known = RFT_STR_INIT;
    const char *near = nearest(names, asked);
    for (size_t i = 0; i < names->count && i < KERNELS_TOLD; i++) {
        rft_str_addf(&known, "%s%.200s", i ? ", " : "", names->items[i]);
    }
    rft_str_add(&known, names->count > KERNELS_TOLD ? ", ..." : "");
    refuse(l, "has no kernel with the symbol \"%s\"%s%.200s%s (it has: %s)", asked, near ? ", did you mean \"" : "",
           near ? near : "", near ? "\"?" : "", names->count ? rft_str_get(&known) : "none");
    rft_str_clear(&known);
}

/* False: one of the entries asked for is not among the kernels. */
static bool find_entries(const given_file *l, const kernel_names *names) {
    for (size_t i = 0; i < l->out->entry_count; i++) {
        rft_compiled_entry *entry = &l->out->entries[i];
        for (size_t k = 0; k < names->count && !entry->symbol; k++) {
            entry->symbol = strcmp(names->items[k], entry->name) == 0 ? entry->name : NULL;
        }
        if (!entry->symbol) {
            refuse_entry(l, names, entry->name);
            return false;
        }
    }
    return true;
}

static void make_entries(const given_file *l) {
    const rft_compile_request *request = l->given->request;
    l->out->entries = rft_arena_calloc(l->given->arena, request->name_count + 1, sizeof *l->out->entries);
    l->out->entry_count = request->name_count;
    for (size_t i = 0; i < request->name_count; i++) {
        l->out->entries[i] = (rft_compiled_entry){.name = rft_arena_strdup(l->given->arena, request->names[i]),
                                                  .registers = -1,
                                                  .spill_store_bytes = -1,
                                                  .spill_load_bytes = -1,
                                                  .stack_bytes = -1,
                                                  .shared_bytes = -1,
                                                  .barriers = -1};
    }
}

static void keep_code(const given_file *l, const void *code, size_t bytes) {
    l->out->cubin = code;
    l->out->cubin_bytes = bytes;
    rft_cubin_hash(code, bytes, l->out->cubin_hash);
    l->out->ok = true;
}

/* ---- a cubin ---- */

/* Of the record that names the kernel's symbol; -1: there is none. */
static int attribute_of(const rft_cubin_elf *elf, unsigned attribute, uint32_t symbol) {
    Elf64_Shdr section;
    if (!rft_cubin_find_section(elf, ".nv.info", "", &section) || section.sh_type == SHT_NOBITS) {
        return -1;
    }
    rft_cubin_records records = {.at = elf->data + section.sh_offset, .left = section.sh_size};
    while (rft_cubin_next_record(&records)) {
        if (records.attribute == attribute && records.bytes == 8 && rft_cubin_u32(records.value) == symbol) {
            uint32_t value = rft_cubin_u32(records.value + 4);
            return value <= INT32_MAX ? (int)value : -1;
        }
    }
    return -1;
}

static long shared_of(const rft_cubin_elf *elf, const char *symbol) {
    Elf64_Shdr section, reserved;
    if (!rft_cubin_find_section(elf, ".nv.shared.", symbol, &section)) {
        return 0;
    }
    uint64_t reserved_bytes = rft_cubin_find_section(elf, ".nv.shared.reserved.", "0", &reserved) ? RESERVED_BYTES : 0;
    return section.sh_size <= INT32_MAX
               ? (long)(section.sh_size - (section.sh_size < reserved_bytes ? 0 : reserved_bytes))
               : -1;
}

/* Spills and barriers it does not tell. */
static void read_facts(const rft_cubin_elf *elf, rft_compile_result *out) {
    rft_cubin_kernels kernels = {.elf = elf};
    while (rft_cubin_next_kernel(&kernels)) {
        for (size_t i = 0; i < out->entry_count; i++) {
            rft_compiled_entry *entry = &out->entries[i];
            if (strcmp(entry->symbol, kernels.name) == 0) {
                entry->registers = attribute_of(elf, ATTRIBUTE_REGISTERS, kernels.index);
                entry->stack_bytes = attribute_of(elf, ATTRIBUTE_FRAME, kernels.index);
                entry->shared_bytes = shared_of(elf, entry->symbol);
            }
        }
    }
}

/* False: it is no cubin that this device runs, and why. */
static bool fits(const given_file *l, rft_cubin_elf *elf) {
    static const char others[] =
        "cuobjdump -xelf all takes the cubins out of objects, programs and libraries; nvcc -cubin makes one";
    Elf64_Ehdr header = {0};
    memcpy(&header, l->code, l->bytes < sizeof header ? l->bytes : sizeof header);
    if (l->bytes >= sizeof header && header.e_machine != MACHINE_CUDA) {
        refuse(l, "is an ELF file, but for another machine than a GPU; %s", others);
    } else if (l->bytes >= sizeof header && header.e_ident[EI_CLASS] != ELFCLASS64) {
        refuse(l, "is a cubin of 32 bits, which no driver loads any more; build it again with nvcc -cubin");
    } else if (!rft_cubin_elf_open(elf, l->code, l->bytes)) {
        refuse(l, "is cut off or damaged: what it says to hold lies outside of its %zu bytes; build or copy it again",
               l->bytes);
    } else if (header.e_type == ET_REL) {
        refuse(l, "is still to be linked (nvcc -dc or -rdc=true); link it by nvcc -dlink -cubin, or build it without");
    } else if (!rft_arch_runs_cubin(rft_cubin_arch(elf), l->device)) {
        refuse(l, "is for %s, the device is %s; build it with -arch=%s, or give PTX", arch_text(l, rft_cubin_arch(elf)),
               l->given->request->arch, l->given->request->arch);
    } else {
        return true;
    }
    return false;
}

static void look_at_cubin(const given_file *l) {
    rft_cubin_elf elf;
    kernel_names *names = rft_arena_alloc(l->given->arena, sizeof *names);
    names->count = 0;
    if (rft_text_starts(l->given->request->arch, "compute_")) {
        refuse(l, "holds machine code and no PTX; cuobjdump -sass shows what is in it");
    } else if (fits(l, &elf)) {
        list_cubin(&elf, names);
        if (find_entries(l, names)) {
            read_facts(&elf, l->out);
            keep_code(l, l->code, l->bytes);
        }
    }
}

/* ---- PTX ---- */

/* The driver finishes it: it loads a text with the NUL behind it. */
static void keep_ptx(const given_file *l) {
    l->out->is_ptx = true;
    keep_code(l, l->code, l->bytes + 1);
}

/* What nvJitLink makes of it, with its figures. Where functions are called, which it does not inline, the driver's own
 * compiler makes faster code; and the driver may be newer: then it only looks for mistakes. */
static void finish_ptx(const given_file *l) {
    const rft_jit_input input = {l->code, l->bytes, l->name, l->given->request->arch};
    rft_jit_linked linked;
    bool tried = rft_jit_link(l->given->nvrtc, &input, l->given->arena, &linked);
    if (tried && !linked.ok && !strstr(linked.log, "Unsupported .version")) {
        refuse(l, "cannot be compiled for %s: %s", input.arch, linked.log);
    } else if (!tried || !linked.ok || rft_ptx_has_functions(l->code, l->bytes)) {
        keep_ptx(l);
    } else {
        rft_ptxas_read(linked.log, l->out->entries, l->out->entry_count);
        keep_code(l, linked.cubin, linked.bytes);
    }
}

static void look_at_ptx(const given_file *l) {
    char version[16], target[16];
    bool only_read = rft_text_starts(l->given->request->arch, "compute_");
    kernel_names *names = rft_arena_alloc(l->given->arena, sizeof *names);
    names->count = 0;
    if (!rft_ptx_head(l->code, l->bytes, version, target)) {
        refuse(l, "is neither a cubin, which is an ELF file, nor PTX, which begins with .version");
        return;
    }
    rft_arch made_for = rft_arch_of(target);
    if (!only_read && made_for.number > 0 && !rft_arch_takes_ptx(made_for, l->device)) {
        refuse(l, "is PTX for %s, the device is %s; build it with -arch=%s", target, l->given->request->arch,
               l->given->request->arch);
        return;
    }
    list_ptx(l, names);
    if (!find_entries(l, names)) {
        return;
    }
    if (only_read) {
        keep_ptx(l);
    } else {
        finish_ptx(l);
    }
}

/* ---- the file ---- */

static int read_code(given_file *l, rft_err *err) {
    const rft_compile_request *request = l->given->request;
    char *code = NULL;
    int rc = rft_roots_check(request->roots, request->source_path, err);
    if (rc != RFT_OK) {
        return rc;
    }
    if (rft_fs_read(&code, &l->bytes, request->source_path, RFT_GIVEN_BYTES_MAX, err) != RFT_OK) {
        return err ? (err->code = RFT_E_SOURCE) : RFT_E_SOURCE;
    }
    l->code = rft_arena_memdup(l->given->arena, code, l->bytes + 1);
    free(code);
    return RFT_OK;
}

static bool starts(const given_file *l, const char *magic) {
    return l->bytes >= 4 && memcmp(l->code, magic, 4) == 0;
}

int rft_given_compile(const rft_given *given, rft_compile_result *out, rft_err *err) {
    given_file l = {.given = given, .name = given->request->source_name, .device = rft_arch_of(given->request->arch)};
    *out = (rft_compile_result){.log = ""};
    l.out = out;
    int rc = read_code(&l, err);
    if (rc != RFT_OK) {
        return rc;
    }
    make_entries(&l);
    if (starts(&l, ELFMAG)) {
        look_at_cubin(&l);
        return RFT_OK;
    }
    while (l.bytes > 0 && l.code[l.bytes - 1] == '\0') { /* as other programs write PTX */
        l.bytes--;
    }
    if (starts(&l, FATBIN_MAGIC)) {
        refuse(&l, "is a fat binary; take the cubin out of it by cuobjdump -xelf all, or its PTX by -xptx all");
    } else if (memchr(l.code, '\0', l.bytes)) {
        refuse(&l, "is neither a cubin, which is an ELF file, nor PTX, which is text: it holds a NUL byte");
    } else {
        look_at_ptx(&l);
    }
    return RFT_OK;
}
