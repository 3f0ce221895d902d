/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels take, read from symbols that NVRTC 13.0 made; and symbols that no compiler made. */
#include "model_fixture.h"

#include "model/sweep/mangled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *symbol;
    const char *params; /* "?": not known, "!": a tensor map; NULL: nothing is said */
} cases[] = {
    {"_Z5saxpyILi4EEvPKfPffx", "float const*,float*,float,long long"},
    {"_Z15saxpy_referencePKfPdx", "float const*,double*,long long"},
    {"_Z1kIfEvPKT_PS0_i", "float const*,float*,int"},
    {"_Z1kI6__halfEvPKT_PS1_i", "__half const*,__half*,int"},
    {"_Z1kIKdEvPKT_PS1_i", "double const*,double*,int"},
    {"_Z1kI6float4EvPKT_PS1_i", "? const*,?*,int"},
    {"_Z1kI4packILi4EEEvPKT_PS2_i", "? const*,?*,int"},
    {"_ZN1a1b1kIfEEvPKT_NS0_1wIS2_EEPS6_NS0_1sES2_PS8_", "float const*,?,?*,?,float,?*"},
    {"_ZN1a1b5plainENS0_1sEPKS1_PKPS1_d", "?,? const*,? const*,double"},
    {"_Z2enIL4mode0ExEvS0_PT0_PVKS1_S1_", "?,long long*,long long const*,long long"},
    {"_Z2vpILi4EEv4packIXT_EEPKS1_PS1_i", "?,? const*,?*,int"},
    {"_Z3twoIfLi2EEv6pair_tIT_fEPS0_IS1_4packIXT0_EEEPKS1_S8_h", "?,?*,float const*,float const*,unsigned char"},
    {"_Z6half_kPK6__halfP13__nv_bfloat16S_7__half2P13__nv_fp8_e4m3PK13__nv_fp8_e5m2PKv",
     "__half const*,__nv_bfloat16*,__half,?,__nv_fp8_e4m3*,__nv_fp8_e5m2 const*,void const*"},
    {"_Z2tm14CUtensorMap_stP6float4PKS_bsm", "CUtensorMap!,?*,CUtensorMap const*,bool,short,unsigned long"},
    {"_Z3arrPA4_fPPfPFvifEyS1_", "?*,?*,?*,unsigned long long,float*"},
    {"_ZN36_GLOBAL__N__00000000_4_k_cu_b4123d694anonEiPf", "int,float*"},
    {"_Z2ttIN1a1b1wEdEvT_IT0_EPS4_PS5_f", "?,double*,?*,float"},
    {"_ZL2stPKff", "float const*,float"},
    {"_Z4nonev", ""},
    {"_Z3varIJfiEEviDpT_", NULL}, /* a pack */
    {"saxpy", NULL},              /* extern "C" */
    {"_Z1x", NULL},               /* a variable */
    {"", NULL},
    {"_Z", NULL},
    {"_Z5saxp", NULL},
    {"_Z99999999999999999999f", NULL},
    {"_Z1kPS_", NULL},
    {"_Z1kS99999_", NULL},
    {"_Z1kT_", NULL},
    {"_Z1kIfEvT0_", NULL},
    {"_Z1kiz", NULL},
    {"_Z1kif.clone", NULL},
    {"_Z1kIfEvDTcl1fEE", NULL},
};

static void add_param(rft_str *out, const rft_mangled_param *param) {
    bool pointer = param->kind == RFT_PARAM_POINTER, map = param->kind == RFT_PARAM_TENSOR_MAP;
    rft_str_addf(out, "%s%s", out->length ? "," : "", param->name && param->kind ? param->name : "?");
    rft_str_add(out, pointer && param->to_const ? " const*" : pointer ? "*" : map ? "!" : "");
}

static void parameters_are_read(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_mangled_param params[RFT_PARAMS_MAX];
        rft_str text = RFT_STR_INIT;
        int count = rft_mangled_params(cases[i].symbol, params);
        for (int p = 0; p < count; p++) {
            add_param(&text, &params[p]);
        }
        if ((count < 0) != (cases[i].params == NULL) || (count >= 0 && strcmp(rft_str_get(&text), cases[i].params))) {
            fail_msg("%s: %d, %s", cases[i].symbol, count, rft_str_get(&text));
        }
        rft_str_clear(&text);
    }
}

/* Heap text, so that a sanitizer sees a byte too far. */
static void read_copy(const char *text, size_t length) {
    rft_mangled_param params[RFT_PARAMS_MAX];
    char *copy = malloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    int count = rft_mangled_params(copy, params);
    assert_in_range(count + 1, 0, RFT_PARAMS_MAX + 1);
    for (int i = 0; i < count; i++) {
        assert_in_range(params[i].kind, RFT_PARAM_UNKNOWN, RFT_PARAM_TENSOR_MAP);
    }
    free(copy);
}

/* Every beginning of every symbol, and a hundred thousand with changed letters. */
static void damaged_symbols_do_no_harm(void **state) {
    (void)state;
    static const char letters[] = "_ZNEISTKPLXJFARQDv0129fibdSt*\x80";
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length = strlen(cases[i].symbol);
        for (size_t n = 0; n <= length; n++) {
            read_copy(cases[i].symbol, n);
        }
        for (int turn = 0; length > 2 && turn < 3000; turn++) {
            char text[256];
            memcpy(text, cases[i].symbol, length);
            for (int changes = 0; changes <= turn % 4; changes++) {
                random = random * 1664525u + 1013904223u;
                text[2 + (random >> 8) % (length - 2)] = letters[(random >> 20) % (sizeof letters - 1)];
            }
            read_copy(text, length);
        }
    }
}

/* Deep, long, and wide: refused, in no time and with no stack. */
static void endless_symbols_are_refused(void **state) {
    (void)state;
    static const char *const parts[] = {"P", "K", "1kI", "N1a", "F", "A1_", "S_", "i", "J", "LL", "9"};
    static char text[100000];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        rft_mangled_param params[RFT_PARAMS_MAX];
        size_t length = (size_t)snprintf(text, sizeof text, "_Z1k");
        while (length + 8 < sizeof text) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%s", parts[i]);
        }
        assert_int_equal(rft_mangled_params(text, params), -1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_read),
        cmocka_unit_test(damaged_symbols_do_no_harm),
        cmocka_unit_test(endless_symbols_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
