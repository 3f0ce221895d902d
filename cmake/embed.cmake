# SPDX-License-Identifier: Apache-2.0
# Writes the file INPUT as a C array named rft_embedded_SYMBOL to OUTPUT.
file(READ ${INPUT} hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "#include <stddef.h>
extern const unsigned char rft_embedded_${SYMBOL}[];
extern const size_t rft_embedded_${SYMBOL}_size;
const unsigned char rft_embedded_${SYMBOL}[] = {
${bytes}0};
const size_t rft_embedded_${SYMBOL}_size = ${size};
")
