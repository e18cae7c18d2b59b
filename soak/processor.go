package soak

import (
	"syscall"
	"time"
)

// Processor returns the processor time that this process has used so far. Tests that bound how long something takes
// measure it, since a busy machine lengthens the time on the clock.
func Processor() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // there is no such system
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
