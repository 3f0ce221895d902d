# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT with the git revision of SOURCE ("+" when the tree is changed), only when it differs.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE revision ERROR_QUIET
                OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
if(NOT revision)
  set(revision "unknown")
elseif(changes)
  set(revision "${revision}+")
endif()
set(text "/* generated */\n#define RFT_REVISION \"${revision}\"\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT "${old}" STREQUAL "${text}")
  file(WRITE ${OUTPUT} "${text}")
endif()
