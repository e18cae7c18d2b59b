package modeltest

import "os"

// GPU returns the name of the device, as parley doctor prints it, that tests of engines compute all layers on; "" for
// the CPU. `make test-vulkan` sets it.
func GPU() string { return os.Getenv("PARLEY_TEST_GPU") }
