# SPDX-License-Identifier: Apache-2.0
# Run by CPack when the files of the Debian package are staged: what Debian's policy wants otherwise than `cmake --install`.
set(root ${CPACK_TEMPORARY_DIRECTORY}/usr)
set(doc ${root}/share/doc/rooftune)
file(REMOVE ${doc}/LICENSE) # the copyright file names it
file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/debian_copyright ${doc}/copyright)
file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/../CHANGELOG.md ${doc}/changelog)
file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions) # where Debian's zsh looks for packages' files
execute_process(COMMAND gzip -9n ${doc}/changelog ${root}/share/man/man1/rooftune.1 COMMAND_ERROR_IS_FATAL ANY)
file(RPATH_REMOVE FILE ${root}/bin/rooftune) # libraries come from packages
