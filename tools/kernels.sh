#!/bin/sh
# Compiles our kernels alone, without llama.cpp, and runs their check: with the compiler at hand, with Clang, and for
# arm64 on processors that qemu-user has. What is not installed is named and left out. All must give the same bits.
#
#   tools/kernels.sh COMPILER SOURCES...     sources and flags, which Makefile has
set -eu
cd "$(dirname "$0")/.."
mkdir -p build
compiler=$1
shift

# check COMMAND...: runs the check, on all targets or on one. Its results are those of the checks before.
expected=
check() {
	"$@" >build/kernels.txt || { cat build/kernels.txt && exit 1; }
	cat build/kernels.txt
	results=$(sed -n 's/.* results //p' build/kernels.txt | sort -u)
	expected=${expected:-$results}
	[ "$results" = "$expected" ] || { echo "$*: results $results, and before $expected" >&2 && exit 1; }
}

echo "$compiler:"
"$compiler" -O2 "$@" -o build/kernels
check build/kernels

if command -v clang++ >/dev/null && [ "$compiler" != clang++ ]; then
	echo "clang++:"
	clang++ -O2 "$@" -o build/kernels-clang
	check build/kernels-clang
else
	echo "no clang++: the kernels were not compiled with it"
fi

# A processor of each kind chooses its target, which is compiled as in the program. Such a kind is slow here, so that it
# runs the target that it chooses and no other.
cross=aarch64-linux-gnu-g++
qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
if [ "$(uname -m)" = aarch64 ]; then
	echo "this is arm64: its kernels ran above"
elif command -v "$cross" >/dev/null && [ "$qemu" ]; then
	"$cross" -O3 -static "$@" -o build/kernels-arm64
	for one in cortex-a53:scalar neoverse-n1:neon max:neoni8mm; do
		echo "arm64, ${one%:*}:"
		check "$qemu" -cpu "${one%:*}" build/kernels-arm64 chosen
		grep -q "^${one#*:} " build/kernels.txt || { echo "it should choose ${one#*:}" >&2 && exit 1; }
	done
else
	echo "no $cross or no qemu-aarch64 (qemu-user): the kernels for arm64 were neither compiled nor run"
fi
