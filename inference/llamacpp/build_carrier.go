//go:build cgo && llama_carrier && !llama_system && !llama_none

package llamacpp

// The Go toolchain compiles the sources of llama.cpp as part of this package. We use none of its Go API.
import (
	_ "github.com/ollama/ollama/llama/llama.cpp/src"
)

const (
	carrierModule = "github.com/ollama/ollama"
	buildForGPU   = "`make vulkan` or `make cuda`"
)
