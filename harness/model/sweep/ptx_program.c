/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/ptx_program.h"

#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define INSTRUCTIONS_MAX 100000u
#define NAMES_SIZE 65536u /* slots for registers, and for labels; a power of two */
#define PARAMS_MAX 64

typedef struct name {
    const char *text;
    size_t length, place; /* a register's number; of a label the instruction behind it, SIZE_MAX if it is not unique */
} name;

typedef struct names {
    name *slots;
    size_t size, count;
} names;

typedef struct ptx_reader {
    rft_ptx_program *out;
    rft_arena *arena;
    const char *text;
    names registers, labels;
    const char *params[PARAMS_MAX];
    size_t param_lengths[PARAMS_MAX];
    const char *statics[RFT_PTX_STATIC_MAX]; /* as the PTX has them */
    size_t static_lengths[RFT_PTX_STATIC_MAX];
    size_t capacity, list_count, list_capacity, file, line;
    struct pending {
        size_t instruction, length;
        const char *label;
    } * pending;
    size_t pending_count, pending_capacity;
    bool bad;
} ptx_reader;

static bool is_name_char(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

static size_t name_length(const char *at) {
    size_t length = 0;
    while (is_name_char(at[length])) {
        length++;
    }
    return length;
}

/* The slot of the name; a new one has no text. */
static name *name_slot(names *n, const char *text, size_t length) {
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    }
    size_t at = (size_t)hash & (n->size - 1);
    while (n->slots[at].text && (n->slots[at].length != length || memcmp(n->slots[at].text, text, length) != 0)) {
        at = (at + 1) & (n->size - 1);
    }
    return &n->slots[at];
}

static size_t register_of(ptx_reader *r, const char *text, size_t length) {
    name *slot = name_slot(&r->registers, text, length);
    if (!slot->text) {
        *slot = (name){text, length, r->registers.count++};
        r->bad = r->bad || r->registers.count * 2 > r->registers.size;
    }
    return slot->place;
}

static bool starts(const char *text, size_t length, const char *with) {
    size_t n = strlen(with);
    return length >= n && memcmp(text, with, n) == 0;
}

static bool equals(const char *text, size_t length, const char *with) {
    return length == strlen(with) && memcmp(text, with, length) == 0;
}

/* ---- operands ---- */

static bool special_of(const char *text, size_t length, uint64_t *value) {
    static const char *const heads[] = {"%tid.", "%ntid.", "%ctaid.", "%nctaid."};
    for (size_t i = 0; i < 4; i++) {
        size_t n = strlen(heads[i]);
        if (length == n + 1 && memcmp(text, heads[i], n) == 0 && text[n] >= 'x' && text[n] <= 'z') {
            *value = 3 * i + (uint64_t)(text[n] - 'x');
            return true;
        }
    }
    return false;
}

/* The address of the shared array that this names; 0: it names another thing. */
static uint64_t symbol_of(const ptx_reader *r, const char *text, size_t length) {
    for (size_t i = 0; i < r->out->static_count; i++) {
        if (r->static_lengths[i] == length && memcmp(r->statics[i], text, length) == 0) {
            return RFT_PTX_STATIC + i * (uint64_t)RFT_PTX_STATIC_STEP;
        }
    }
    const char *at = r->text;
    while ((at = strstr(at, ".extern .shared")) != NULL) {
        at += strcspn(at, "[;\n");
        const char *begin = at;
        while (begin > r->text && is_name_char(begin[-1])) {
            begin--;
        }
        if ((size_t)(at - begin) == length && memcmp(begin, text, length) == 0) {
            return RFT_PTX_DYNAMIC;
        }
    }
    return 0;
}

static size_t param_of(const ptx_reader *r, const char *text, size_t length) {
    for (size_t i = 0; i < r->out->param_count; i++) {
        if (r->param_lengths[i] == length && memcmp(r->params[i], text, length) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

static void add_listed(ptx_reader *r, size_t reg) {
    r->out->lists = rft_arena_grown(r->arena, r->out->lists, r->list_count, &r->list_capacity, sizeof *r->out->lists);
    r->out->lists[r->list_count++] = reg;
}

/* "{%r1, %r2}" or "%p1|%p2". */
static rft_ptx_operand list_of(ptx_reader *r, const char *text, size_t length) {
    rft_ptx_operand out = {.kind = RFT_PTX_LIST, .at = r->list_count};
    for (size_t i = 0; i < length;) {
        size_t n = text[i] == '%' || text[i] == '_' || isalpha((unsigned char)text[i]) ? name_length(text + i) : 0;
        if (n > 0) {
            add_listed(r, register_of(r, text + i, n));
            out.count++;
        }
        i += n > 0 ? n : 1;
    }
    return out;
}

static bool immediate_of(const char *text, size_t length, uint64_t *value) {
    bool whole = length > 0 && (isdigit((unsigned char)text[0]) || text[0] == '-');
    whole = whole && !(length > 1 && text[0] == '0' && strchr("fFdD", text[1])) && !memchr(text, '.', length);
    char *end = NULL;
    *value = whole ? (text[0] == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0)) : 0;
    return whole && end >= text + length - (text[length - 1] == 'U');
}

static rft_ptx_operand operand_of(ptx_reader *r, const char *text, size_t length) {
    rft_ptx_operand out = {.at = SIZE_MAX};
    bool address = length > 1 && text[0] == '[';
    if (length > 0 && (text[0] == '{' || memchr(text, '|', length))) {
        return list_of(r, text, length);
    }
    if (address) {
        text++;
        length--;
        const char *close = memchr(text, ']', length);
        length = close ? (size_t)(close - text) : length;
    }
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        length--;
    }
    size_t named = name_length(text);
    named = named > length ? length : named;
    uint64_t behind = 0;
    if (named < length && (text[named] != '+' || !immediate_of(text + named + 1, length - named - 1, &behind))) {
        return immediate_of(text, length, &out.value) ? (out.kind = RFT_PTX_NUMBER, out) : out;
    }
    uint64_t symbol = 0;
    size_t param = address ? param_of(r, text, named) : SIZE_MAX;
    if (immediate_of(text, named, &out.value)) {
        out.kind = address ? RFT_PTX_ADDRESS : RFT_PTX_NUMBER;
    } else if (param != SIZE_MAX) {
        out = (rft_ptx_operand){.kind = RFT_PTX_PARAM, .at = param, .value = behind};
    } else if (special_of(text, named, &out.value)) {
        out.kind = RFT_PTX_SPECIAL;
    } else if ((symbol = symbol_of(r, text, named)) != 0) {
        out.kind = address ? RFT_PTX_ADDRESS : RFT_PTX_NUMBER;
        out.value = symbol + behind;
    } else if (name_slot(&r->registers, text, named)->text || (named > 1 && text[0] == '%')) {
        out = (rft_ptx_operand){
            .kind = address ? RFT_PTX_ADDRESS : RFT_PTX_REG, .at = register_of(r, text, named), .value = behind};
    }
    return out;
}

/* ---- instructions ---- */

typedef struct opcode {
    const char *name;
    rft_ptx_op op;
} opcode;

static rft_ptx_op op_of(const char *text, size_t first) {
    static const opcode known[] = {
        {"add", RFT_PTX_ADD},   {"sub", RFT_PTX_SUB},     {"mul", RFT_PTX_MUL},    {"mad", RFT_PTX_MAD},
        {"div", RFT_PTX_DIV},   {"rem", RFT_PTX_REM},     {"and", RFT_PTX_AND},    {"or", RFT_PTX_OR},
        {"xor", RFT_PTX_XOR},   {"not", RFT_PTX_NOT},     {"neg", RFT_PTX_NEG},    {"abs", RFT_PTX_ABS},
        {"min", RFT_PTX_MIN},   {"max", RFT_PTX_MAX},     {"shl", RFT_PTX_SHL},    {"shr", RFT_PTX_SHR},
        {"mov", RFT_PTX_MOV},   {"cvta", RFT_PTX_MOV},    {"cvt", RFT_PTX_CVT},    {"selp", RFT_PTX_SELP},
        {"setp", RFT_PTX_SETP}, {"ld", RFT_PTX_READ},     {"ldu", RFT_PTX_READ},   {"st", RFT_PTX_WRITE},
        {"red", RFT_PTX_WRITE}, {"atom", RFT_PTX_ATOMIC}, {"bra", RFT_PTX_BRANCH}, {"ret", RFT_PTX_END},
        {"exit", RFT_PTX_END},  {"trap", RFT_PTX_END},    {"call", RFT_PTX_END},   {"brx", RFT_PTX_END},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (equals(text, first, known[i].name)) {
            return known[i].op;
        }
    }
    return RFT_PTX_OTHER;
}

/* ".u32" and the like: bits; 0: no type. */
static int type_of(const char *part, size_t length, bool *is_signed, bool *is_whole, size_t *lanes) {
    *lanes = length > 2 && part[length - 2] == 'x' ? (size_t)(part[length - 1] - '0') : 1;
    *is_signed = part[0] == 's';
    *is_whole = *lanes == 1 && strchr("usb", part[0]) != NULL;
    if (equals(part, length, "pred")) {
        *is_whole = true;
        return 1;
    }
    bool type = length > 1 && strchr("usbf", part[0]) && isdigit((unsigned char)part[1]);
    return type ? (int)strtol(part + 1, NULL, 10) : 0;
}

/* The parts of "ld.global.nc.v4.f32". */
static void read_opcode(rft_ptx_instruction *in, const char *text, size_t length) {
    size_t first = 0, vector = 1, lanes = 1;
    bool saturates = false, has_parameter = false, elsewhere = false, bulk = false, combined = false;
    while (first < length && text[first] != '.') {
        first++;
    }
    in->op = op_of(text, first);
    bool copies = equals(text, first, "cp");
    for (size_t at = first; at < length;) {
        const char *part = text + at + 1;
        size_t n = 0, part_lanes = 1;
        bool is_signed = false, is_whole = false;
        while (at + 1 + n < length && part[n] != '.') {
            n++;
        }
        int bits = n > 0 ? type_of(part, n, &is_signed, &is_whole, &part_lanes) : 0;
        if (bits > 0) {
            in->from_bits = in->bits;
            in->bits = bits;
            lanes = part_lanes;
            in->is_signed = is_signed;
            in->is_whole = is_whole && (in->from_bits == 0 || in->is_whole);
        } else if (n == 2 && part[0] == 'v' && isdigit((unsigned char)part[1])) {
            vector = (size_t)(part[1] - '0');
        } else if (n == 2 && strchr("elgn", part[0])) {
            memcpy(in->compare, part, 2);
        }
        in->wide = in->wide || equals(part, n, "wide");
        in->hi = in->hi || equals(part, n, "hi");
        saturates = saturates || equals(part, n, "sat");
        combined = combined || equals(part, n, "and") || equals(part, n, "or") || equals(part, n, "xor");
        has_parameter = has_parameter || starts(part, n, "param");
        elsewhere =
            elsewhere || equals(part, n, "local") || starts(part, n, "const") || starts(part, n, "shared::cluster");
        bulk = bulk || equals(part, n, "bulk") || equals(part, n, "async") || equals(part, n, "reduce");
        at += 1 + n;
    }
    bool accesses = in->op == RFT_PTX_READ || in->op == RFT_PTX_WRITE || in->op == RFT_PTX_ATOMIC;
    in->bytes = accesses ? vector * lanes * (size_t)in->bits / 8 : 0;
    if (copies) {
        bool plain =
            starts(text, length, "cp.async.ca.shared.global") || starts(text, length, "cp.async.cg.shared.global");
        in->op = plain ? RFT_PTX_COPY : RFT_PTX_OTHER;
    } else if (accesses && has_parameter) {
        in->op = in->op == RFT_PTX_READ ? RFT_PTX_LD_PARAM : RFT_PTX_OTHER;
    } else if ((accesses && (elsewhere || bulk || in->bits == 0)) || saturates || (in->hi && in->bits != 32) ||
               (in->op == RFT_PTX_SETP && combined)) {
        in->op = RFT_PTX_OTHER;
    } else if (!accesses && in->op != RFT_PTX_OTHER && in->op < RFT_PTX_LD_PARAM && !in->is_whole) {
        in->op = RFT_PTX_OTHER;
    }
}

static const char *skip_blank(const char *at, const char *end) {
    while (at < end && isspace((unsigned char)*at)) {
        at++;
    }
    return at;
}

static void read_operands(ptx_reader *r, rft_ptx_instruction *in, const char *at, const char *end) {
    while (at < end && in->operand_count < RFT_PTX_OPERANDS) {
        at = skip_blank(at, end);
        const char *stop = at;
        int depth = 0;
        while (stop < end && (depth > 0 || *stop != ',')) {
            depth += strchr("{[(", *stop) != NULL ? 1 : strchr("}])", *stop) != NULL ? -1 : 0;
            stop++;
        }
        in->operands[in->operand_count++] = operand_of(r, at, (size_t)(stop - at));
        at = stop + 1;
    }
}

static void read_instruction(ptx_reader *r, const char *at, const char *end) {
    rft_ptx_program *out = r->out;
    rft_ptx_instruction in = {.guard = SIZE_MAX, .target = SIZE_MAX, .file = r->file, .line = r->line};
    if (*at == '@') {
        in.guard_not = at[1] == '!';
        at += in.guard_not ? 2 : 1;
        size_t n = name_length(at);
        in.guard = register_of(r, at, n);
        at = skip_blank(at + n, end);
    }
    size_t n = 0;
    while (at + n < end && !isspace((unsigned char)at[n])) {
        n++;
    }
    read_opcode(&in, at, n);
    at = skip_blank(at + n, end);
    if (in.op == RFT_PTX_BRANCH) {
        struct pending one = {out->count, name_length(at), at};
        r->pending = rft_arena_grown(r->arena, r->pending, r->pending_count, &r->pending_capacity, sizeof *r->pending);
        r->pending[r->pending_count++] = one;
    } else {
        read_operands(r, &in, at, end);
    }
    out->items = rft_arena_grown(r->arena, out->items, out->count, &r->capacity, sizeof *out->items);
    out->items[out->count++] = in;
    r->bad = r->bad || out->count >= INSTRUCTIONS_MAX;
}

/* "tile" of _ZZ3sumILi256EEvPKfPfiE4tile, a variable of a function. */
static const char *source_name(const char *text, size_t length, rft_arena *arena) {
    for (size_t i = length; i-- > 1;) {
        if (text[i - 1] == 'E' && isdigit((unsigned char)text[i])) {
            char *end = NULL;
            size_t n = strtoul(text + i, &end, 10);
            if (n > 0 && end + n <= text + length) {
                return rft_arena_strndup(arena, end, n);
            }
        }
    }
    return rft_arena_strndup(arena, text, length);
}

/* ".shared .align 4 .b8 name[1024];" in the file or in a kernel. */
static void read_shared(ptx_reader *r) {
    rft_ptx_program *out = r->out;
    const char *at = r->text;
    while ((at = strstr(at, ".shared .align")) != NULL && out->static_count < RFT_PTX_STATIC_MAX) {
        const char *end = at + strcspn(at, ";\n"), *stop = at + strcspn(at, "[;\n"), *begin = stop;
        bool is_extern = at > r->text + 8 && starts(at - 8, 8, ".extern ");
        while (begin > at && is_name_char(begin[-1])) {
            begin--;
        }
        if (!is_extern && begin < stop) {
            size_t i = out->static_count++;
            bool counted = *stop == '[' && begin - at > 4 && starts(begin - 4, 4, ".b8 ");
            r->statics[i] = begin;
            r->static_lengths[i] = (size_t)(stop - begin);
            out->static_names[i] = source_name(begin, r->static_lengths[i], r->arena);
            out->static_bytes[i] = counted ? strtoull(stop + 1, NULL, 10) : RFT_PTX_STATIC_STEP;
        }
        at = end;
    }
}

/* "(.param .u64 a, .param .align 8 .b8 b[16])"; returns what is behind. */
static const char *read_kernel_params(ptx_reader *r, const char *at) {
    const char *end = at + strcspn(at, ")");
    for (at = at + 1; at < end && r->out->param_count < PARAMS_MAX;) {
        const char *stop = at + strcspn(at, ",)"), *last = at + strcspn(at, ",)[");
        while (last > at && isspace((unsigned char)last[-1])) {
            last--;
        }
        const char *begin = last;
        while (begin > at && is_name_char(begin[-1])) {
            begin--;
        }
        r->params[r->out->param_count] = begin;
        r->param_lengths[r->out->param_count++] = (size_t)(last - begin);
        at = stop + 1;
    }
    return end;
}

/* ".loc 1 12 5" and what else begins with a point; returns what is behind. */
static const char *read_directive(ptx_reader *r, const char *at) {
    if (starts(at, strlen(at), ".loc")) {
        char *end = NULL;
        r->file = strtoul(at + 4, &end, 10);
        r->line = strtoul(end, NULL, 10);
        return at + strcspn(at, "\n");
    }
    at += strcspn(at, ";\n");
    return *at ? at + 1 : at;
}

static void read_body(ptx_reader *r, const char *at) {
    size_t depth = 0;
    do {
        at += strspn(at, " \t\r\n;");
        size_t named = name_length(at);
        if (*at == '{' || *at == '}') {
            depth += *at == '{' ? 1 : (size_t)-1;
            at++;
        } else if (starts(at, strlen(at), "//")) {
            at += strcspn(at, "\n");
        } else if (*at == '.') {
            at = read_directive(r, at);
        } else if (named > 0 && at[named] == ':' && at[named + 1] != ':') {
            name *label = name_slot(&r->labels, at, named);
            bool twice = label->text != NULL;
            *label = (name){at, named, twice ? SIZE_MAX : r->out->count};
            r->labels.count += twice ? 0 : 1;
            r->bad = r->bad || r->labels.count * 2 > r->labels.size;
            at += named + 1;
        } else if (*at) {
            const char *end = at + strcspn(at, ";");
            read_instruction(r, at, end);
            at = end;
        }
    } while (depth > 0 && *at && !r->bad);
    r->bad = r->bad || depth > 0;
}

static const char *find_entry(const char *text, const char *symbol) {
    size_t length = strlen(symbol);
    const char *at = text;
    while ((at = strstr(at, ".entry ")) != NULL) {
        at += strlen(".entry ");
        if (strncmp(at, symbol, length) == 0 && (at[length] == '(' || at[length] == '\n' || at[length] == ' ')) {
            return at + length;
        }
    }
    return NULL;
}

bool rft_ptx_program_read(rft_ptx_program *out, const char *text, const char *symbol, rft_arena *arena) {
    const char *at = find_entry(text, symbol);
    ptx_reader r = {.out = out, .arena = arena, .text = text};
    *out = (rft_ptx_program){.count = 0};
    if (!at) {
        return false;
    }
    r.registers = (names){rft_calloc(NAMES_SIZE, sizeof(name)), NAMES_SIZE, 0};
    r.labels = (names){rft_calloc(NAMES_SIZE, sizeof(name)), NAMES_SIZE, 0};
    read_shared(&r);
    at += strspn(at, " \n");
    at = *at == '(' ? read_kernel_params(&r, at) : at;
    at += strcspn(at, "{");
    read_body(&r, at);
    out->register_count = r.registers.count;
    for (size_t i = 0; i < r.pending_count; i++) {
        const name *label = name_slot(&r.labels, r.pending[i].label, r.pending[i].length);
        out->items[r.pending[i].instruction].target = label->text ? label->place : SIZE_MAX;
    }
    free(r.registers.slots);
    free(r.labels.slots);
    return !r.bad;
}
