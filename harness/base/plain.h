/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain.h - texts from anywhere on their way to a terminal, a comment, JSON or XML: what would move a cursor, colour a
 * screen or turn the order of letters round is spelled out. Control characters but newline and tab, DEL, the C1
 * controls and what changes the direction of writing become \uXXXX (which JSON reads as that very character), bytes
 * that are no UTF-8 become \xXX. Plain text stays as it is, whatever its script.
 */
#ifndef RFT_BASE_PLAIN_H
#define RFT_BASE_PLAIN_H

#include "base/str.h"

/* Bytes of the UTF-8 character at `at` (1..4), 0 when it is none (RFC 3629: no overlong forms, no surrogates). A NUL
 * behind the text is enough: nothing is read past the first byte that does not belong. */
size_t rft_utf8_bytes(const unsigned char *at);

/* The code point of such a character. */
unsigned rft_utf8_code(const unsigned char *at, size_t bytes);

/* Is this code point one that is spelled out? Newline, tab and carriage return are up to the caller. */
bool rft_plain_hides(unsigned code);

/* Appends `length` bytes of text, spelled out where it has to be; a carriage return stays before a newline. */
void rft_plain_add(rft_str *out, const char *text, size_t length);

/* The same of a whole text as XML and HTML have it, between tags or in a quoted attribute: the five signs that begin
 * something there become references. */
void rft_plain_add_xml(rft_str *out, const char *text);

#endif
