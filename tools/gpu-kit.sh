#!/bin/sh
# Packs dist/gpu-kit.tar.xz: what a machine with a card needs to measure Parley there, made on one that has none, for
# `make gpu-kit`. There, `tar xf gpu-kit.tar.xz && python3 gpu-kit/run.py` does it (tools/gpu-kit/run.py).
#
# GPU is cuda, vulkan or, for a kit that only tries itself, empty. CUDA_ARCH (90) are the architectures of cards, in
# CMake's words. PEER names a directory with llama-server, llama-bench and llama-batched-bench, or PEER_SOURCE one of
# llama.cpp's sources, from which they are compiled; without either the kit measures Parley alone.
set -eu
cd "$(dirname "$0")/.."
GPU=${GPU-cuda} CUDA_ARCH=${CUDA_ARCH:-90} PEER=${PEER:-} PEER_SOURCE=${PEER_SOURCE:-}
ARCH="-march=x86-64-v3"
[ "$(uname -m)" = x86_64 ] || ARCH="-march=armv8.2-a+dotprod+fp16"

cuda= driver= arguments=
if [ "$GPU" = cuda ]; then
	CUDA_PATH=$(tools/cuda-toolkit.sh)
	export CUDA_PATH CUDACXX="$CUDA_PATH/bin/nvcc"
	cuda=$("$CUDACXX" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
	case $cuda in 12.*) driver=525 ;; 13.*) driver=580 ;; esac
	arguments="-DCMAKE_CUDA_ARCHITECTURES=$CUDA_ARCH -DCUDAToolkit_ROOT=$CUDA_PATH"
fi

kit=build/gpu-kit
rm -rf "$kit" && mkdir -p "$kit" dist
(
	eval "$(make -s --no-print-directory env GPU="$GPU" ARCH="$ARCH" CMAKE_ARGS="$arguments")"
	CGO_LDFLAGS="$CGO_LDFLAGS -static-libstdc++ -static-libgcc" \
		go build -trimpath -ldflags "-s -w" -o "$kit/parley" ./cmd/parley
)
peers="llama-server llama-bench llama-batched-bench"
if [ -z "$PEER" ] && [ -n "$PEER_SOURCE" ]; then
	PEER=build/gpu-peer/bin
	cmake -S "$PEER_SOURCE" -B build/gpu-peer -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
		-DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_UI=OFF -DLLAMA_OPENSSL=OFF \
		-DGGML_OPENMP=OFF -DGGML_NATIVE=OFF -DCMAKE_C_FLAGS="$ARCH" -DCMAKE_CXX_FLAGS="$ARCH" \
		-DGGML_CUDA="$([ "$GPU" = cuda ] && echo ON || echo OFF)" \
		-DGGML_VULKAN="$([ "$GPU" = vulkan ] && echo ON || echo OFF)" $arguments >build/gpu-peer.log
	cmake --build build/gpu-peer --target $peers --parallel "$(nproc)" >>build/gpu-peer.log
fi
libraries=
if [ "$GPU" = cuda ]; then
	cp "$CUDA_PATH"/lib64/libcudart.so.[0-9]* "$kit/"
	libraries=$(readelf -d "$kit/parley" | sed -n 's/.*NEEDED.*\[\(libcu[a-zA-Z]*\.so\.[0-9]*\)\].*/\1/p' |
		grep -v libcuda.so | sort)
fi
for program in ${PEER:+$peers}; do strip -o "$kit/$program" "$PEER/$program"; done
cp tools/gpu-kit/run.py LICENSE "$kit/"
VERSION=$(git describe --always --dirty 2>/dev/null || echo unknown) LLAMA=$(sed -n 's/^version //p' \
	third_party/llama.lock) CUDA=$cuda DRIVER=$driver ARCHITECTURES=$CUDA_ARCH GPU=$GPU LIBRARIES=$libraries \
	python3 - >"$kit/kit.json" <<'PYTHON'
import json, os
e = os.environ
print(json.dumps({"version": e["VERSION"], "llama_cpp": e["LLAMA"], "gpu": e["GPU"]} | ({
    "cuda": e["CUDA"], "driver": e["DRIVER"], "architectures": e["ARCHITECTURES"],
    "libraries": e["LIBRARIES"].split()} if e["GPU"] == "cuda" else {}), indent=1))
PYTHON
# The programs hold the same kernels: a dictionary that sees all of them packs these once.
tar --sort=name --owner=0 --group=0 --numeric-owner -C build -c gpu-kit |
	xz --lzma2=preset=6,dict=512MiB >dist/gpu-kit.tar.xz
echo "dist/gpu-kit.tar.xz: $(wc -c <dist/gpu-kit.tar.xz) bytes"
