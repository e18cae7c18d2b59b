//go:build !cgo || llama_none

package kernels

// In a build without C++ there are no kernels.

func Targets() []Target             { return nil }
func Choose(string) (Target, error) { return Target{}, nil }
func Formats() []Format             { return nil }
func (Target) Measure(int) Speed    { return Speed{} }
