/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glibc_floor.h - put before every source file: functions that glibc 2.35 or 2.36 gave a new version are taken in the
 * old one, so that a program built on Debian 12 (glibc 2.36) runs on glibc 2.34. tests/package/glibc.sh finds others.
 */
#if defined(__x86_64__) && defined(__linux__)
__asm__(".symver hypot,hypot@GLIBC_2.2.5"); /* 2.35: no longer sets errno, nothing here reads it */
#elif defined(__aarch64__) && defined(__linux__)
__asm__(".symver hypot,hypot@GLIBC_2.17");
#endif
