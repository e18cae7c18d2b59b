//go:build cgo && llama_carrier && !llama_system && !llama_none

package llamacpp

// The sources of llama.cpp are compiled by the Go toolchain as part of these packages. They bring no Go API that we
// use.
import (
	_ "github.com/ollama/ollama/llama/llama.cpp/src"
)

const carrierModule = "github.com/ollama/ollama"
