# SPDX-License-Identifier: Apache-2.0
# The fonts of the report, which become part of the program: the files of Debian 12's fonts-liberation2 and no others,
# so that one run gives one PDF everywhere. RFT_FONT_FILES is empty without them.
set(RFT_FONT_FAMILY "Liberation 2.1.5")
find_path(RFT_FONT_FOLDER LiberationSans-Regular.ttf PATHS /usr/share/fonts/truetype/liberation2
          /usr/share/fonts/truetype/liberation NO_DEFAULT_PATH DOC "Where Liberation 2.1.5 of Debian 12 lies")
set(RFT_FONT_FILES "")
set(missing "")
foreach(font IN ITEMS
    LiberationSans-Regular=8d91388f1d3604b3b8ae0e3ee2d140e50cd6122f9214514f4aca772540a4076d
    LiberationSans-Bold=ba0e0dc3f7aca5b0afbc31e800531ee43be3aa79ae35b2ef1f6470a9547765c4
    LiberationMono-Regular=6b3809450cf6253b36d157198dc15004a5fbade9abad5543c377feb7bb29139c)
  string(REPLACE "=" ";" font ${font})
  list(GET font 0 name)
  list(GET font 1 wanted)
  set(file ${RFT_FONT_FOLDER}/${name}.ttf)
  if(NOT EXISTS ${file})
    list(APPEND missing "${name}.ttf is not there")
    continue()
  endif()
  file(SHA256 ${file} found)
  if(found STREQUAL wanted)
    list(APPEND RFT_FONT_FILES ${file})
  else()
    list(APPEND missing "${name}.ttf is of another release")
  endif()
endforeach()
if(missing)
  set(RFT_FONT_FILES "")
  list(JOIN missing ", " missing)
  message(STATUS "Fonts of the report: ${missing}. PDFs will name Helvetica and Courier, and look as their reader has "
                 "them. Debian 12's fonts-liberation2 has the fonts; RFT_FONT_FOLDER says where they lie")
endif()
