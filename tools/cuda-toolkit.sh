#!/bin/sh
# Prints the directory of a CUDA toolkit: CUDA_PATH, that of nvcc, or one that pip brings into build/cuda, for machines
# without a card. Of the driver there is a stub then, with which programs are linked and not run.
set -eu
cd "$(dirname "$0")/.."

[ -n "${CUDA_PATH:-}" ] && echo "$CUDA_PATH" && exit
if nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null); then
	dirname "$(dirname "$(readlink -f "$nvcc")")"
	exit
fi
venv=$PWD/build/cuda
[ -f "$venv/complete" ] || {
	python3 -m venv "$venv"
	"$venv/bin/pip" install --quiet nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 \
		nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85 nvidia-cublas==13.1.2.11
} >&2
toolkit=$(echo "$venv"/lib/python3*/site-packages/nvidia/cu13)
[ -f "$venv/complete" ] || {
	ln -sfn lib "$toolkit/lib64"
	for library in cudart cublas cublasLt; do ln -sf lib$library.so.13 "$toolkit/lib/lib$library.so"; done
	# What ggml's backend calls of the driver.
	mkdir -p "$toolkit/lib/stubs"
	for name in cuMemUnmap cuMemSetAccess cuMemRelease cuMemMap cuMemGetAllocationGranularity cuMemCreate \
		cuMemAddressReserve cuMemAddressFree cuGetErrorString cuDeviceGetAttribute cuDeviceGet; do
		echo "int $name(void) { return 999; }"
	done | ${CC:-cc} -shared -fPIC -Wl,-soname,libcuda.so.1 -x c -o "$toolkit/lib/stubs/libcuda.so" -
	touch "$venv/complete"
} >&2
echo "$toolkit"
