# SPDX-License-Identifier: Apache-2.0
rooftune --help
expect_status 0
for word in run check point report show best export import ceilings devices; do expect_out "^  $word "; done
for word in run check point report show best export import ceilings devices; do
    rooftune $word --help
    expect_status 0
    expect_out "usage: rooftune $word"
done
rooftune
expect_status 2
rooftune runn
expect_status 2
expect_err 'did you mean "run"'
rooftune check --archh sm_90a x.lua
expect_status 2
expect_err 'did you mean "--arch"'
rooftune --version
expect_status 0
expect_out "^rooftune [0-9]"
