# SPDX-License-Identifier: Apache-2.0
# The libraries rooftune stands on. Nothing NVIDIA is linked: only headers are looked for.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(LUA REQUIRED IMPORTED_TARGET lua5.4)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(UV REQUIRED IMPORTED_TARGET libuv)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
find_path(HPDF_INCLUDE hpdf.h REQUIRED)
find_library(HPDF_LIBRARY NAMES hpdf libhpdf haru REQUIRED)
add_library(rft_hpdf INTERFACE)
target_include_directories(rft_hpdf SYSTEM INTERFACE ${HPDF_INCLUDE})
target_link_libraries(rft_hpdf INTERFACE ${HPDF_LIBRARY} m)

# CUDA headers: cuda.h and nvrtc.h, 12.8 or newer. RFT_CUDA_INCLUDE is empty without them.
set(RFT_CUDA_INCLUDE "")
if(RFT_CUDA)
  find_path(RFT_CUDA_H cuda.h HINTS ${RFT_CUDA_ROOT} ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES include
            NO_CACHE)
  find_path(RFT_NVRTC_H nvrtc.h HINTS ${RFT_CUDA_ROOT} ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES include
            NO_CACHE)
  if(RFT_CUDA_H AND RFT_NVRTC_H)
    set(RFT_CUDA_INCLUDE ${RFT_CUDA_H} ${RFT_NVRTC_H})
    list(REMOVE_DUPLICATES RFT_CUDA_INCLUDE)
    get_filename_component(RFT_CUDA_HOME ${RFT_NVRTC_H} DIRECTORY)
    message(STATUS "CUDA headers: ${RFT_CUDA_INCLUDE}")
  else()
    message(STATUS "CUDA headers not found: building without NVRTC and CUDA (replay and reports only)")
  endif()
endif()
