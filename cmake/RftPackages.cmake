# SPDX-License-Identifier: Apache-2.0
# How rooftune leaves the build folder.
#   install   bin/rooftune, share/rooftune/{kernels,sweeps}, manual, completion: uses the libraries of the system
#   cpack     rooftune_VERSION_amd64.deb
#   dist      build/rooftune-VERSION-linux-x86_64.tar.gz: for any such Linux with glibc 2.34 or newer (aarch64 too)
#   wheel     build/rooftune-VERSION-py3-none-manylinux_2_34_x86_64.whl, for pip (docs/installing.md; aarch64 too)
#   kit       build/kit: the same tree and the GPU tests, to be carried to a machine with a GPU
include(GNUInstallDirs)

# $ORIGIN as DT_RPATH, not DT_RUNPATH: only the former also finds what libhpdf itself needs (libpng, libz).
target_link_options(rooftune PRIVATE -Wl,--disable-new-dtags)
set_target_properties(rooftune PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON
                                          INSTALL_RPATH_USE_LINK_PATH ON)

install(TARGETS rooftune RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Recordings of whole spaces are for trials of searches, in the source tree.
install(
  DIRECTORY kernels sweeps
  DESTINATION ${CMAKE_INSTALL_DATADIR}/rooftune
  PATTERN "*_search.json.gz" EXCLUDE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Of the libraries and fonts in the program, which ask for that.
foreach(library IN ITEMS liblua5.4-dev libsqlite3-dev libuv1-dev libjansson-dev zlib1g-dev libmd-dev libhpdf-dev
                         libpng-dev fonts-liberation2)
  if(EXISTS /usr/share/doc/${library}/copyright)
    install(FILES /usr/share/doc/${library}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}/licences RENAME ${library})
  endif()
endforeach()

# Where man and shells look below a prefix. Of a wheel they go below
# the environment's prefix, all else into its package.
function(rft_install_for_shells prefix)
  install(FILES ${CMAKE_BINARY_DIR}/rooftune.1 DESTINATION ${prefix}/man/man1 ${ARGN})
  install(FILES harness/cli/completion.bash DESTINATION ${prefix}/bash-completion/completions RENAME rooftune ${ARGN})
  install(FILES harness/cli/completion.zsh DESTINATION ${prefix}/zsh/site-functions RENAME _rooftune ${ARGN})
  install(FILES harness/cli/completion.fish DESTINATION ${prefix}/fish/vendor_completions.d RENAME rooftune.fish ${ARGN})
endfunction()
rft_install_for_shells(${CMAKE_INSTALL_DATADIR} COMPONENT shell)
if(SKBUILD)
  rft_install_for_shells(${SKBUILD_DATA_DIR}/share COMPONENT wheel EXCLUDE_FROM_ALL)
endif()

# Debian: cpack --config BUILD/CPackConfig.cmake
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME rooftune)
set(CPACK_PACKAGE_CONTACT "The rooftune authors <maintainers@users.noreply.rooftune.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "autotuner and benchmark harness for CUDA kernels")
set(CPACK_PACKAGE_DESCRIPTION "rooftune compiles every configuration of a CUDA kernel, checks its
results on the GPU, measures it, and places it under ceilings measured on the
same card. Each run is one SQLite file and one PDF. NVIDIA's driver, NVRTC,
NVML, CUPTI and cuBLASLt are opened at run time where they are installed.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 1)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/debian_stage.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)

set(RFT_DIST_NAME rooftune-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
add_custom_target(dist COMMAND ${RFT_PACKAGE} dist ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} ${RFT_DIST_NAME}
                  DEPENDS rooftune VERBATIM USES_TERMINAL)

add_custom_target(wheel COMMAND ${RFT_WHEEL_COMMAND} VERBATIM USES_TERMINAL)

set(gpu_tests "")
if(TARGET gpu_tests)
  target_link_options(gpu_tests PRIVATE -Wl,--disable-new-dtags)
  set_target_properties(gpu_tests PROPERTIES INSTALL_RPATH "$ORIGIN/.." BUILD_WITH_INSTALL_RPATH ON)
  get_property(gpu_tests DIRECTORY ${CMAKE_SOURCE_DIR}/tests/gpu PROPERTY RFT_GPU_TESTS)
endif()
set(benches "")
if(TARGET bench)
  set(benches bench)
endif()
add_custom_target(kit COMMAND ${RFT_PACKAGE} kit ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} ${RFT_DIST_NAME} ${gpu_tests}
                  DEPENDS rooftune $<TARGET_NAME_IF_EXISTS:gpu_tests> ${benches} VERBATIM USES_TERMINAL)
