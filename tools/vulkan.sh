#!/bin/sh
# Builds llama.cpp's Vulkan backend into bin/vulkan, for `make vulkan`: tools/vulkan.sh CARRIER, a directory with the
# carrier's sources of llama.cpp. VULKAN_HEADERS names a directory with newer headers than the system's: an include
# directory that has vulkan/vulkan.hpp, such as that of https://github.com/KhronosGroup/Vulkan-Headers.
set -eu
cd "$(dirname "$0")/.."

fail() {
	echo "make vulkan: $*" >&2
	exit 1
}
command -v cmake >/dev/null || fail "cmake is missing: install it with the system's packages or \`pip install cmake\`"
command -v "${GLSLC:-glslc}" >/dev/null || fail "glslc is missing: install the system's glslc or shaderc"
set -- -S "$1" -B build/vulkan -DCMAKE_CUDA_COMPILER=NOTFOUND -DCMAKE_HIP_COMPILER=NOTFOUND \
	-DCMAKE_BUILD_RPATH_USE_ORIGIN=ON -DVulkan_GLSLC_EXECUTABLE="$PWD/tools/glslc.sh" \
	${VULKAN_HEADERS:+-DVulkan_INCLUDE_DIR="$VULKAN_HEADERS"}
mkdir -p build/vulkan
cmake "$@" >build/vulkan/configure 2>&1 || { cat build/vulkan/configure >&2; fail "CMake refuses the carrier"; }
headers=$(sed -n 's/^Vulkan_INCLUDE_DIR:PATH=//p' build/vulkan/CMakeCache.txt)
[ -f "$headers/vulkan/vulkan.hpp" ] || {
	rm -rf build/vulkan
	fail "Vulkan's headers are missing: install libvulkan-dev"
}
# The first are those of 1.3.272.
grep -q VK_EXT_layer_settings "$headers/vulkan/vulkan_core.h" || {
	rm -rf build/vulkan
	fail "the headers of Vulkan in $headers are too old: those of 1.3.272 or newer are needed, such as Debian" \
		"13 has; name others with VULKAN_HEADERS=DIR"
}
cmake --build build/vulkan --target ggml-vulkan --parallel "$(getconf _NPROCESSORS_ONLN)" >build/vulkan/compile 2>&1 ||
	{ tail -n 40 build/vulkan/compile >&2; fail "the backend was not compiled"; }
mkdir -p bin/vulkan
cp -a build/vulkan/lib/ollama/libggml-base.so* build/vulkan/lib/ollama/libggml-vulkan.so bin/vulkan/
