// Package llamacpp is the binding to llama.cpp: models, contexts, and steps that decode a whole batch and sample from
// it in one cgo call. It decides nothing: which sequence advances when is the scheduler's affair.
//
// Lifecycle: LoadModel, NewContext, Step as often as needed, Context.Close, Model.Close. A Model may be used by several
// goroutines, a Context by one at a time.
//
// The sources of llama.cpp come with the module github.com/ollama/ollama (build tag llama_carrier, which the Makefile
// sets) or are a library that is installed (build tag llama_system, found by pkg-config). Without cgo, or with the tag
// llama_none, the package is a stub whose functions return ErrNoCgo.
package llamacpp
