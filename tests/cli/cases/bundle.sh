# SPDX-License-Identifier: Apache-2.0
# What a stranger sends of a card: shown before it is written, without what tells people and machines.
[ -f "$FAKE_CUDA/libcuda.so.1" ] || skip "no driver of our own: built without CUDA's headers"
export LD_LIBRARY_PATH="$FAKE_CUDA${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" HOME="$PWD/someone" RFT_CACHE="$PWD/someone/cache"
mkdir -p someone
rooftune devices
expect_out 'GPU-f0f1f2f3'
rooftune devices --bundle card.txt
expect_status 0
expect_file card.txt
sed '/^bundle  card.txt/,$d' out | sed '$d' >shown
cmp shown card.txt || fail "what is written is not what is shown"
expect_in() { grep -q "$1" card.txt || fail "no \"$1\" in the bundle"; }
expect_in '^device 0: NVIDIA Fake, sm_90'
expect_in '^  sms: 132$'
expect_in '^  cache of cubins and ceilings: ~/cache'
expect_in 'no ceilings: '
for private in GPU-f0f1f2f3 0000:AB:00 "$PWD" "$(uname -n)"; do
    ! grep -F "$private" card.txt || fail "the bundle tells $private"
done
rooftune devices --bundle "$SOURCE/sweeps/quick.lua"
expect_error 11 'holds'
