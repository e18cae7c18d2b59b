#!/bin/sh
# Builds libllama from sources of llama.cpp and installs it, for `make build LLAMA=PREFIX`:
#
#	tools/llama.sh llama.cpp build/llama                  a directory,
#	tools/llama.sh llama_cpp_python-0.3.36.tar.gz DIR     or an archive, in which llama.cpp may lie deeper
#
# CMAKE_ARGS has further options for CMake, such as -DGGML_CUDA=ON. What is installed replaces what was in PREFIX, once
# all is built. Programs, tests, the server and downloads of llama.cpp are left out.
set -eu
oldest=0.5

fail() {
	echo "make llama: $*" >&2
	exit 1
}
[ $# = 2 ] && [ -n "$1" ] || fail "name the sources: make llama SOURCE=DIR (or an archive of them)"
source=$1
[ -e "$source" ] || fail "$source: no such directory or archive"
command -v cmake >/dev/null || fail "cmake is missing: install it with the system's packages or \`pip install cmake\`"
mkdir -p "$(dirname "$2")"
prefix=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
work=$prefix.building # beside the prefix, so that what is built can be renamed into place
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

if [ -f "$source" ]; then
	archive=$(cd "$(dirname "$source")" && pwd)/$(basename "$source")
	mkdir "$work/source"
	(cd "$work/source" && cmake -E tar xf "$archive") || fail "$source: no archive that CMake can read"
	source=$work/source
fi

# The project file of llama.cpp: that of the directory itself, or the one deeper in it that lies highest.
project=$(find "$source" -maxdepth 4 -name CMakeLists.txt -exec grep -l '^project("llama.cpp"' {} + |
	awk '{ print gsub("/", "/"), $0 }' | sort -n | head -n 1 | cut -d ' ' -f 2-)
[ -n "$project" ] || fail "$1 has no sources of llama.cpp: no CMakeLists.txt of the project \"llama.cpp\""
source=$(cd "$(dirname "$project")" && pwd)
# The commit that is recorded is that of llama.cpp or none, not that of a repository around it.
export GIT_CEILING_DIRECTORIES="${source%/*}"

# number NAME FILE is what set(NAME VALUE) of a CMake file says.
number() {
	sed -n "s/^set($1  *\([0-9][0-9]*\))/\1/p" "$2"
}
major=$(number LLAMA_VERSION_MAJOR "$project")
minor=$(number LLAMA_VERSION_MINOR "$project")
[ -n "$major" ] && [ -n "$minor" ] || fail "$1 is older than llama.cpp's first numbered version; $oldest is needed"
[ "$((major * 1000 + minor))" -ge "$((${oldest%.*} * 1000 + ${oldest#*.}))" ] ||
	fail "$1 is llama.cpp $major.$minor; $oldest or newer is needed"

# shellcheck disable=SC2086 # the words of CMAKE_ARGS are arguments
cmake -S "$source" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
	-DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=ON -DGGML_OPENMP=OFF -DLLAMA_OPENSSL=OFF \
	-DLLAMA_BUILD_COMMON=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_EXAMPLES=OFF \
	-DLLAMA_BUILD_SERVER=OFF -DLLAMA_BUILD_APP=OFF ${CMAKE_ARGS:-} >"$work/configure" 2>&1 ||
	{ cat "$work/configure" >&2; fail "CMake refuses $source"; }
cmake --build "$work/build" --parallel "$(getconf _NPROCESSORS_ONLN)" >"$work/compile" 2>&1 ||
	{ tail -n 40 "$work/compile" >&2; fail "llama.cpp was not compiled"; }
DESTDIR=$work/new cmake --install "$work/build" >"$work/install" || fail "llama.cpp was not installed"
rm -rf "$prefix"
mv "$work/new$prefix" "$prefix"

# What was built, from what is there now.
version=$(sed -n 's/^Version: //p' "$prefix/lib/pkgconfig/llama.pc")
ggml=$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")/\1/p' "$prefix/lib/cmake/ggml/ggml-config-version.cmake")
commit=$(git -C "$source" rev-parse --short HEAD 2>/dev/null || true)
architectures=$(sed -n '/LLM_ARCH_NAMES = {/,/};/p' "$source/src/llama-arch.cpp" | grep '{ LLM_ARCH_' |
	grep -cv -e CLIP -e UNKNOWN)
echo "llama.cpp $version${commit:+ ($commit)} with ggml $ggml and $architectures architectures is in $prefix"
echo "next: make build LLAMA=$prefix"
