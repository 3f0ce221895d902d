# SPDX-License-Identifier: Apache-2.0
# Flags in one interface target, and the few functions every CMakeLists.txt here is made of.

add_library(rft_flags INTERFACE)
target_compile_features(rft_flags INTERFACE c_std_17)
set(CMAKE_C_EXTENSIONS OFF)
target_compile_definitions(rft_flags INTERFACE _GNU_SOURCE)
target_compile_options(rft_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wvla
                       -ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -include ${CMAKE_SOURCE_DIR}/cmake/glibc_floor.h)
target_include_directories(rft_flags INTERFACE ${CMAKE_SOURCE_DIR}/harness ${CMAKE_SOURCE_DIR})
# Lines and functions are what backtraces and valgrind tell; -DCMAKE_BUILD_TYPE=Debug has variables as well.
target_compile_options(rft_flags INTERFACE $<$<CONFIG:RelWithDebInfo>:-g1>)
if(RFT_WERROR)
  target_compile_options(rft_flags INTERFACE -Werror)
endif()
if(RFT_SANITIZE)
  target_compile_options(rft_flags INTERFACE -fsanitize=${RFT_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  if(RFT_SANITIZE MATCHES "address") # which finds what these find, for a quarter less code
    target_compile_options(rft_flags INTERFACE -fno-sanitize=null,object-size)
  endif()
  target_link_options(rft_flags INTERFACE -fsanitize=${RFT_SANITIZE})
endif()
# For what computes little: with sanitizers it is compiled as it is written, in a third of the time.
set(RFT_PLAIN "")
if(RFT_SANITIZE AND NOT RFT_FUZZ)
  set(RFT_PLAIN -O0)
endif()

if(RFT_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "RFT_FUZZ needs clang: configure with -DCMAKE_C_COMPILER=clang, or with --preset fuzz")
  endif()
  target_compile_options(rft_flags INTERFACE -fsanitize=fuzzer-no-link) # coverage in every room
endif()

# rft_room(NAME [DEPENDS rooms/libraries...]): one directory = one static library of the .c files in it and in its folders.
# DEPENDS is the only place a room may get a library or another room's headers from (tests/layering checks the rest).
function(rft_room name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;EXCLUDE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c ${CMAKE_CURRENT_SOURCE_DIR}/*/*.c)
  foreach(file IN LISTS ARG_EXCLUDE)
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  if(sources)
    add_library(rft_${name} STATIC ${sources})
    target_link_libraries(rft_${name} PUBLIC rft_flags ${ARG_DEPENDS})
  else() # a room of headers only
    add_library(rft_${name} INTERFACE)
    target_link_libraries(rft_${name} INTERFACE rft_flags ${ARG_DEPENDS})
  endif()
endfunction()

# rft_test_program(NAME SOURCES a.c... [LIBS ...]): a cmocka program below BUILD/tests.
function(rft_test_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} rft_flags cmocka)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE RFT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(RFT_SANITIZE AND NOT RFT_FUZZ) # what is undefined is looked for in the rooms, not in their tests
    set_source_files_properties(${ARG_SOURCES} PROPERTIES COMPILE_OPTIONS -fno-sanitize=undefined)
  endif()
endfunction()

# Tests do not travel: they are linked by a faster linker where there is one. gold warns of what the sanitizers export.
include(CheckLinkerFlag)
set(RFT_FAST_LINKER -fuse-ld=gold)
if(RFT_SANITIZE)
  set(RFT_FAST_LINKER -fuse-ld=lld)
endif()
check_linker_flag(C ${RFT_FAST_LINKER} RFT_HAS_FAST_LINKER)

# rft_test(NAME SOURCES a.c... [LIBS ...] [LABELS ...]): such a program as a test, exit status 77 = skipped.
function(rft_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS;LABELS" ${ARGN})
  rft_test_program(${name} SOURCES ${ARG_SOURCES} LIBS ${ARG_LIBS})
  if(RFT_HAS_FAST_LINKER)
    target_link_options(${name} PRIVATE ${RFT_FAST_LINKER})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS "${ARG_LABELS}" TIMEOUT 300)
endfunction()

# rft_embed(TARGET file...): each file becomes `const unsigned char rft_embedded_NAME_EXT[]` (NUL-terminated) and
# `const size_t rft_embedded_NAME_EXT_size`, declared where they are used. By the assembler: as C arrays the fonts alone
# took 3 s of each build.
function(rft_embed target)
  set(text "")
  foreach(file IN LISTS ARGN)
    get_filename_component(file ${file} ABSOLUTE)
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER rft_embedded_${name} symbol)
    string(APPEND text "__asm__(\".section .rodata\\n.globl ${symbol}, ${symbol}_size\\n.balign 16\\n\"\n"
           "        \"${symbol}: .incbin \\\"${file}\\\"\\n0: .byte 0\\n.balign 8\\n\"\n"
           "        \"${symbol}_size: .quad 0b - ${symbol}\\n.previous\");\n")
    list(APPEND files ${file})
  endforeach()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded.c)
  file(GENERATE OUTPUT ${output} CONTENT "${text}")
  set_source_files_properties(${output} PROPERTIES OBJECT_DEPENDS "${files}")
  target_sources(${target} PRIVATE ${output})
endfunction()

# What makes packages; for another architecture it is told the strip, the libraries and the name of that one.
set(RFT_PACKAGE ${CMAKE_SOURCE_DIR}/cmake/package.sh)
set(toolchain "")
if(CMAKE_CROSSCOMPILING)
  set(RFT_PACKAGE ${CMAKE_COMMAND} -E env STRIP=${CMAKE_STRIP} RFT_LIBRARIES=/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}
                  RFT_MACHINE=${CMAKE_SYSTEM_PROCESSOR} ${RFT_PACKAGE})
  set(toolchain -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE})
endif()

# The wheel, by a target and by a test. Compiled again below BUILD/wheel, as this build is, so that ccache has nearly all.
set(RFT_WHEEL_COMMAND ${RFT_PACKAGE} wheel ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}
    rooftune-${PROJECT_VERSION} ${CMAKE_BUILD_TYPE} -DRFT_WERROR=${RFT_WERROR} -DRFT_CUDA_ROOT=${RFT_CUDA_ROOT}
    -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER} -DCMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER} ${toolchain})
