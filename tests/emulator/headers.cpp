/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled for its precompiled header alone (CMakeLists.txt). */
