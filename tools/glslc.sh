#!/bin/sh
# glslc for `make vulkan`. The CMake file of the carrier's Vulkan backend asks it to compile a shader for each
# extension, to see whether it knows the extension, but the carrier leaves those four files out. Without this, each
# extension would pass for known, and an older glslc would then fail to compile shaders that use it.
set -eu
for last; do :; done
if [ ! -e "$last" ]; then
	case $last in
	*/feature-tests/coopmat.comp) extension=GL_KHR_cooperative_matrix ;;
	*/feature-tests/coopmat2.comp) extension=GL_NV_cooperative_matrix2 ;;
	*/feature-tests/integer_dot.comp) extension=GL_EXT_integer_dot_product ;;
	*/feature-tests/bfloat16.comp) extension=GL_EXT_bfloat16 ;;
	*) exec "${GLSLC:-glslc}" "$@" ;;
	esac
	printf '#version 460\n#extension %s : require\nvoid main() {}\n' "$extension" |
		exec "${GLSLC:-glslc}" -fshader-stage=compute --target-env=vulkan1.3 -o /dev/null -
fi
exec "${GLSLC:-glslc}" "$@"
