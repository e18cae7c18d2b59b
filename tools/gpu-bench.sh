#!/bin/sh
# Measures everything on a machine with a CUDA GPU, in one call, into the directory OUT (default gpu-bench).
#
#   tools/gpu-bench.sh                          # W0 to W4 with a synthetic 7B on the GPU
#   LLAMA_CPP=~/llama.cpp tools/gpu-bench.sh    # also llama-batched-bench and llama-server from those sources
#
# Variables: SHAPE (qwen2.5-7b), QUANTIZATION (q8_0), WORKLOADS (w0 w1 w2 w3-exact w3-shared w4), SIZE (--small, or ""
# for full), REPEATS (5) and CUDA_ARCH (native). The script needs Go, g++, CMake and nvcc. What it builds stays in bin,
# build and OUT.
set -eu
cd "$(dirname "$0")/.."
OUT=${OUT:-gpu-bench} SHAPE=${SHAPE:-qwen2.5-7b} QUANTIZATION=${QUANTIZATION:-q8_0}
SIZE=${SIZE---small} REPEATS=${REPEATS:-5} WORKLOADS=${WORKLOADS:-w0 w1 w2 w3-exact w3-shared w4}
CUDA_ARCH=${CUDA_ARCH:-native} PORT=${PORT:-18080}
mkdir -p "$OUT"
model="$OUT/$SHAPE-$QUANTIZATION.gguf"

make build GPU=cuda CMAKE_ARGS="-DCMAKE_CUDA_ARCHITECTURES=$CUDA_ARCH"
nvidia-smi >"$OUT/nvidia-smi.txt" || echo "no nvidia-smi: the card is not recorded" >&2
[ -f "$model" ] || bin/parley models synth --shape "$SHAPE" --quantization "$QUANTIZATION" --out "$model"
bin/parley doctor --model "$model" --gpu-layers -1 | tee "$OUT/doctor.txt"

if [ -z "${LLAMA_CPP:-}" ]; then
	bin/parley bench $SIZE --repeats "$REPEATS" --model "$model" --gpu-layers -1 --out "$OUT/alone" $WORKLOADS
	exit
fi

peer=build/peer
cmake -S "$LLAMA_CPP" -B "$peer" -DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES="$CUDA_ARCH" -DLLAMA_CURL=OFF \
	-DBUILD_SHARED_LIBS=OFF -DLLAMA_BUILD_TESTS=OFF
cmake --build "$peer" --target llama-server llama-batched-bench --parallel
"$peer/bin/llama-batched-bench" -m "$model" -ngl 999 -c 65536 -b 2048 -ub 512 -npp 1000 -ntg 250 \
	-npl 1,16,64,128 | tee "$OUT/batched-bench.txt"

# with_server NAME SERVER_FLAGS BENCH_FLAGS runs all workloads in turns with a server that has these flags.
with_server() {
	"$peer/bin/llama-server" -m "$model" -ngl 999 --port "$PORT" $2 >"$OUT/server-$1.log" 2>&1 &
	server=$!
	trap 'kill $server 2>/dev/null' EXIT
	for _ in $(seq 120); do
		curl -sf "http://127.0.0.1:$PORT/health" >/dev/null && break
		sleep 1
	done
	for w in $WORKLOADS; do
		bin/parley bench $SIZE --repeats "$REPEATS" --model "$model" --gpu-layers -1 \
			--peer "http://127.0.0.1:$PORT" --peer-flags "llama-server -ngl 999 $2" $3 \
			--out "$OUT/$1-$w" "$w" || echo "$1, $w: failed, see $OUT/server-$1.log" >&2
	done
	kill $server
	wait $server || true
}
with_server user "-c 32768" ""
with_server expert "-c 65536 -np 64 -kvu --cache-ram 0" "--peer-expert --peer-in-flight 32"
