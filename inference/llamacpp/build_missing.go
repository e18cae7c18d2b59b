//go:build cgo && !llama_carrier && !llama_system && !llama_none

package llamacpp

// #error "llama.cpp needs compiler flags that go build cannot know: run `make build`, or once per shell eval \"$(make -s env)\" and then any go command"
import "C"
