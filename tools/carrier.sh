#!/bin/sh
# Copies the carrier's sources of llama.cpp for `make cuda` and `make vulkan`, with two errors of GPU backends mended:
# tools/carrier.sh CARRIER, whose result is in build/carrier. The CPU's code, which has neither, is compiled from the
# carrier itself.
#
# Vulkan, products with few rows: workgroups of the small tile have more subgroups than parts of the tile where a
# subgroup has 8 or 16 lanes, and those beyond write into other workgroups' tiles. Results then depend on which is
# first. Here a tile has a part for each (https://github.com/ggml-org/llama.cpp/issues/28637).
#
# Vulkan and CUDA, choice of experts as one operation: its results may lie where the scores of rows were that other
# workgroups have yet to read. Newer versions look for that; here the operations stay apart.
set -eu

cd "$(dirname "$0")/.."

carrier=$1 copy=build/carrier
done="$copy/.mended-${carrier##*@}-$(cksum <tools/carrier.sh | tr ' ' '-')"
[ ! -f "$done" ] || exit 0
rm -rf "$copy" build/cuda build/vulkan
mkdir -p "$copy/ml/backend"
cp "$carrier/CMakeLists.txt" "$copy" && cp -R "$carrier/ml/backend/ggml" "$copy/ml/backend"
chmod -R u+w "$copy" && find "$copy" -name '*.go' -delete # they would be packages of this module

# mend FILE LINES SCRIPT changes so many lines of a file with sed, or fails: the carrier has other sources then.
mend() {
	sed "$3" "$1" >"$1.mended"
	lines=$(diff "$1" "$1.mended" | grep -c '^>') || true
	[ "$lines" = "$2" ] || { echo "tools/carrier.sh: $lines lines of $1 fit a correction of $2" >&2; exit 1; }
	mv "$1.mended" "$1"
}
# { lanes of a workgroup, rows, columns, depth, rows of a part, columns of a part, ..., lanes of a subgroup }
ggml=$copy/ml/backend/ggml/ggml/src
tile='\(s_warptile[a-z_]* = { \([a-z_0-9]*\), *32, *32, *[0-9]*, \)32\(, .*, \([a-z_0-9]*\) };\)'
mend "$ggml/ggml-vulkan/ggml-vulkan.cpp" 9 "s|$tile|\\132 * \\4 / \\2\\3|"
mend "$ggml/ggml-vulkan/ggml-vulkan.cpp" 1 '/int node_idx, topk_moe_mode mode) {$/a\
    return false;'
mend "$ggml/ggml-cuda/topk-moe.cu" 1 '/^bool ggml_cuda_should_use_topk_moe(.*) {$/a\
    return false;'
touch "$done"
