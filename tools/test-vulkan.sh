#!/bin/sh
# Tests engines with all layers on a Vulkan device, for `make test-vulkan GPU=vulkan`: tools/test-vulkan.sh [DEVICE],
# a name such as Vulkan0 that `parley doctor` prints. Without one it takes a GPU if there is one, or else Mesa's
# lavapipe, which llama.cpp leaves out unless it is named by its number, and on which this takes long. names=REGEXP
# selects tests.
#
# Tests of packages run as they are: PARLEY_TEST_GPU has them open engines on the device. Where they compare our kernels
# with llama.cpp's, ours stay on the CPU. Then commands are tried: a run, again, and one that stops and goes on.
set -eu
cd "$(dirname "$0")/.."

skip() {
	echo "make test-vulkan: skipped: $*"
	exit 0
}
devices() {
	bin/parley doctor | sed -n 's/^ok  *device  *\(Vulkan[0-9]*\) .*/\1/p'
}
bin/parley doctor | grep -q '^ok  *backends .*Vulkan' ||
	skip "this build has no Vulkan backend: make test-vulkan GPU=vulkan"
device=${1:-$(devices | head -n 1)}
if [ -z "$device" ]; then
	export GGML_VK_VISIBLE_DEVICES="${GGML_VK_VISIBLE_DEVICES:-0}"
	device=$(devices | head -n 1)
fi
[ -n "$device" ] || skip "no Vulkan device is to be had: install a driver, such as mesa-vulkan-drivers"
bin/parley doctor | grep "^ok  *device  *$device "

export PARLEY_TEST_GPU="$device"
tests() {
	go test -count 1 -timeout 120m -v -run "^Test(${names:-$2})" "$1"
}
# In F32: F16 of a device rounds to a thousandth, otherwise than the CPU and in another batch. Then texts are equal all
# the same, and so are the choices of experts.
(
	export GGML_VK_DISABLE_F16=1
	# of inference/llamacpp, beside the CPU: formats, families, states, embeddings
	tests ./inference/llamacpp 'KernelsAgree|Miniatures|States|Encoder|EmbeddingAlone'
	# of inference: batches, the cache, preemption, grammars, embeddings, recurrent models, teams on several devices
	engines='GreedyAnswers|BatchedEqualsAlone|Resample|RunsRepeat|GrammarHolds|GrammarsInABatch|Embed|Continuations'
	tests ./inference "$engines|Forced|Team|Places|Recurrent|ReproducibleIsRefused|TooLong"
	# of debate/protocol: debates of every form, one request at a time and half of them restored
	tests ./debate/protocol 'Hold|Forms'
)
# of inference/llamacpp: copies and removals
tests ./inference/llamacpp \
	'GreedyText|SharedPrefix|NestedSequences|Streams|StepRefuses|Abort|CloseIsChecked|CheckInvariance'
[ -z "${names:-}" ] || exit 0

out=$(mktemp -d) && trap 'rm -rf "$out"' EXIT
try() {
	bin/parley compare --generated 2 --conditions vote,mad --gpu-layers -1 --device "$device" --out "$@"
}
try "$out/once" && try "$out/again"
bin/parley diff "$out/once" "$out/again"
try "$out/resumed" --tokens 300 || [ $? = 5 ] # stops half-way
try "$out/resumed" && bin/parley diff "$out/once" "$out/resumed"
