//go:build cgo && llama_system && !llama_none

package llamacpp

// #cgo pkg-config: llama
// #cgo CPPFLAGS: -DPARLEY_LLAMA_SYSTEM
import "C"

const (
	carrierModule = "" // a library that the user installed
	buildForGPU   = "`make llama SOURCE=DIR CMAKE_ARGS=-DGGML_VULKAN=ON`"
)
