package soak

import (
	"runtime/metrics"
	"time"

	"github.com/parley-debate/parley/internal/platform"
)

// Processor returns the processor time that this process has used so far. Tests that bound how long something takes
// measure it, since a busy machine lengthens the time on the clock.
func Processor() time.Duration {
	return platform.ProcessorTime()
}

// Allocated returns the bytes that this process has taken from the heap so far, whether or not they are free again. It
// does not stop the program as runtime.ReadMemStats does, which took longer than most mutants that tests measure.
func Allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
