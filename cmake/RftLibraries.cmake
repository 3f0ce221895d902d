# SPDX-License-Identifier: Apache-2.0
# The libraries rooftune stands on. Nothing NVIDIA is linked: only headers are looked for.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(LUA REQUIRED IMPORTED_TARGET lua5.4)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(UV REQUIRED IMPORTED_TARGET libuv)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(MD REQUIRED IMPORTED_TARGET libmd)
find_path(HPDF_INCLUDE hpdf.h REQUIRED)
find_library(HPDF_LIBRARY NAMES hpdf libhpdf haru REQUIRED)
add_library(rft_hpdf INTERFACE)
target_include_directories(rft_hpdf SYSTEM INTERFACE ${HPDF_INCLUDE})
target_link_libraries(rft_hpdf INTERFACE ${HPDF_LIBRARY} m)

# Statically where the archives are installed (Debian's -dev packages bring them): one binary travels to machines that
# have none of these. libharu has no archive there; it travels beside the binary.
option(RFT_STATIC_LIBS "Link Lua, SQLite, libuv, jansson, zlib and libmd statically where their archives are found" ON)
function(rft_prefer_archive target folders)
  cmake_parse_arguments(ARG "" "" "NAMES;NEEDS" ${ARGN})
  string(MAKE_C_IDENTIFIER "RFT_ARCHIVE_${target}" variable)
  find_library(${variable} NAMES ${ARG_NAMES} HINTS ${folders})
  mark_as_advanced(${variable})
  if(${variable})
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${${variable}};${ARG_NEEDS}")
  else()
    message(STATUS "${ARG_NAMES} not found: linked dynamically")
  endif()
endfunction()
if(RFT_STATIC_LIBS)
  rft_prefer_archive(PkgConfig::LUA "${LUA_LIBDIR}" NAMES liblua5.4.a liblua-5.4.a NEEDS m dl)
  rft_prefer_archive(PkgConfig::SQLITE "${SQLITE_LIBDIR}" NAMES libsqlite3.a NEEDS m dl Threads::Threads)
  rft_prefer_archive(PkgConfig::UV "${UV_LIBDIR}" NAMES libuv_a.a libuv.a NEEDS Threads::Threads dl rt)
  rft_prefer_archive(PkgConfig::JANSSON "${JANSSON_LIBDIR}" NAMES libjansson.a)
  rft_prefer_archive(PkgConfig::ZLIB "${ZLIB_LIBDIR}" NAMES libz.a)
  rft_prefer_archive(PkgConfig::MD "${MD_LIBDIR}" NAMES libmd.a)
endif()

# CUDA headers: cuda.h and nvrtc.h, 12.8 or newer, of a toolkit or of NVIDIA's wheels (CUDA 13: one tree; 12: a tree a
# library). RFT_CUDA_INCLUDE is empty without them.
set(RFT_CUDA_INCLUDE "")
if(RFT_CUDA)
  set(places HINTS ${RFT_CUDA_ROOT} ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES include nvidia/cu13/include)
  find_path(RFT_CUDA_H cuda.h ${places} nvidia/cuda_runtime/include NO_CACHE)
  find_path(RFT_NVRTC_H nvrtc.h ${places} nvidia/cuda_nvrtc/include NO_CACHE)
  set(version 0)
  if(RFT_CUDA_H)
    file(STRINGS ${RFT_CUDA_H}/cuda.h version REGEX "^#define CUDA_VERSION +[0-9]+")
    string(REGEX REPLACE "[^0-9]" "" version "${version}")
  endif()
  if(RFT_CUDA_H AND RFT_NVRTC_H AND version GREATER_EQUAL 12080)
    set(RFT_CUDA_INCLUDE ${RFT_CUDA_H} ${RFT_NVRTC_H})
    list(REMOVE_DUPLICATES RFT_CUDA_INCLUDE)
    get_filename_component(RFT_CUDA_HOME ${RFT_NVRTC_H} DIRECTORY)
    message(STATUS "CUDA headers: ${RFT_CUDA_INCLUDE} (version ${version})")
  elseif(RFT_CUDA_H AND RFT_NVRTC_H)
    message(STATUS "CUDA headers in ${RFT_CUDA_H} are version ${version}, 12080 (CUDA 12.8) is needed: "
                   "building without NVRTC and CUDA (replay and reports only)")
  else()
    message(STATUS "CUDA headers not found: building without NVRTC and CUDA (replay and reports only)")
  endif()
endif()

# CUPTI's headers for hardware counters: beside CUDA's, in the toolkit's extras, or in a wheel of their own.
set(RFT_CUPTI_INCLUDE "")
if(RFT_CUDA_INCLUDE)
  find_path(RFT_CUPTI_H cupti_range_profiler.h HINTS ${RFT_CUDA_INCLUDE} ${RFT_CUDA_ROOT} ${RFT_CUDA_HOME} ENV CUDA_HOME
            PATHS /usr/local/cuda PATH_SUFFIXES include extras/CUPTI/include nvidia/cu13/include
            nvidia/cuda_cupti/include ../../cuda_cupti/include NO_CACHE)
  if(RFT_CUPTI_H AND EXISTS ${RFT_CUPTI_H}/cupti_profiler_host.h)
    set(RFT_CUPTI_INCLUDE ${RFT_CUPTI_H})
    math(EXPR RFT_CUDA_MAJOR "${version} / 1000")
    # cupti_profiler_host.h wants C++'s <string>, of which it uses nothing: an empty file answers it.
    set(RFT_CUPTI_EMPTY ${CMAKE_BINARY_DIR}/cupti_empty)
    file(WRITE ${RFT_CUPTI_EMPTY}/string "")
  else()
    message(STATUS "CUPTI headers not found: building without hardware counters")
  endif()
endif()

# cuBLASLt's header for the vendor's matrix multiplication: beside CUDA's, or in a wheel of its own.
set(RFT_CUBLASLT_INCLUDE "")
if(RFT_CUDA_INCLUDE)
  find_path(RFT_CUBLASLT_H cublasLt.h HINTS ${RFT_CUDA_INCLUDE} ${RFT_CUDA_ROOT} ${RFT_CUDA_HOME} ENV CUDA_HOME
            PATHS /usr/local/cuda PATH_SUFFIXES include nvidia/cu13/include nvidia/cublas/include
            ../../cublas/include NO_CACHE)
  math(EXPR cuda_major "${version} / 1000")
  if(RFT_CUBLASLT_H)
    file(STRINGS ${RFT_CUBLASLT_H}/cublas_api.h cublas_major REGEX "^#define CUBLAS_VER_MAJOR +[0-9]+")
    string(REGEX REPLACE "[^0-9]" "" RFT_CUBLASLT_MAJOR "${cublas_major}")
  endif()
  if(RFT_CUBLASLT_H AND RFT_CUBLASLT_MAJOR EQUAL cuda_major)
    set(RFT_CUBLASLT_INCLUDE ${RFT_CUBLASLT_H})
  else()
    message(STATUS "cublasLt.h of CUDA ${cuda_major} not found: building without the vendor's matrix multiplication")
  endif()
endif()
