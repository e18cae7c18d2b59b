// Package machine says what this process may use of the machine that it runs on: cores and memory, within the limits of
// its control groups and of its affinity mask. It reads Linux's /proc and /sys and keeps nothing, except for the number
// of threads. Of other systems it knows the number of CPUs alone.
package machine

import (
	"bytes"
	"cmp"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// System is a file system in which Linux says what there is: its root, or a tree with some of its files.
type System struct{ root fs.FS }

// In returns what the files below a root say. Files that are missing or that cannot be understood say nothing.
func In(root fs.FS) System { return System{root} }

// Here returns the machine that this process runs on.
func Here() System { return In(os.DirFS("/")) }

// AvailableMemory returns the memory that this process can use without swapping, in bytes, or 0 if the system does not
// report it.
func AvailableMemory() int64 { return Here().Memory().Available }

// LeastAddresses are the bytes of addresses that a process needs beside its model: with less, threads and the heap of
// Go, which reserve more than they use, may fail in ways that end the process.
const LeastAddresses = 2 << 30

// AddressLimit returns how many bytes of addresses this process may have (ulimit -v), 0 if there is no limit.
func AddressLimit() int64 { return Here().AddressLimit() }

// AddressLimit returns how many bytes of addresses the process may have that asks, 0 if there is no limit.
func (s System) AddressLimit() int64 {
	for line := range strings.Lines(s.text("proc/self/limits")) {
		if rest, ok := strings.CutPrefix(line, "Max address space"); ok {
			limit, _ := strconv.ParseInt(strings.Fields(rest + " 0")[0], 10, 64) // 0 for unlimited
			return limit
		}
	}
	return 0
}

// Threads returns how many threads compute best here, found once.
func Threads() int { return threads() }

var threads = sync.OnceValue(func() int { return min(Here().CPUs().Threads(), runtime.NumCPU()) })

// PeakMemory returns the most memory that a process has held since it began, in bytes, or 0 if the system does not
// report it.
func PeakMemory(pid int) int64 { return Here().bytesOf("proc/"+strconv.Itoa(pid)+"/status", "VmHWM") }

// CPUFlags returns the features of the CPU by their Linux names, none if the system does not report them.
func CPUFlags() []string { return Here().cpuFlags() }

func (s System) cpuFlags() []string { return strings.Fields(s.firstOfCPU("flags", "Features")) }

// Name returns the name of the CPU with the number of cores that this process may use.
func Name() string {
	return strconv.Itoa(Threads()) + " cores of " + cmp.Or(Here().firstOfCPU("model name"), runtime.GOARCH)
}

// LoadAverage returns the load of the last 1, 5 and 15 minutes, "unknown" if the system does not report it.
func LoadAverage() string {
	if fields := strings.Fields(Here().text("proc/loadavg")); len(fields) > 2 {
		return strings.Join(fields[:3], " ")
	}
	return "unknown"
}

// Load returns the load of the last minute, 0 if the system does not report it.
func Load() float64 {
	last, _, _ := strings.Cut(LoadAverage(), " ")
	load, _ := strconv.ParseFloat(last, 64)
	return load
}

// text returns what is in a file, without blanks around it, or "" if it cannot be read.
func (s System) text(name string) string {
	text, err := fs.ReadFile(s.root, name)
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(text))
}

// number returns what a file says if that is a whole number, not negative.
func (s System) number(name string) (n int64, ok bool) {
	n, err := strconv.ParseInt(s.text(name), 10, 64)
	return n, err == nil && n >= 0
}

// bytesOf reads a line such as "MemAvailable: 12345 kB", in bytes; 0 without one.
func (s System) bytesOf(file, name string) int64 {
	kib, err := strconv.ParseInt(strings.TrimSuffix(s.line(file, name), " kB"), 10, 64)
	if err != nil || kib < 0 || kib > unlimited>>10 {
		return 0
	}
	return kib << 10
}

// line returns what follows a name and a colon in a file.
func (s System) line(file, name string) string {
	for line := range strings.Lines(s.text(file)) {
		if before, after, ok := strings.Cut(line, ":"); ok && before == name {
			return strings.TrimSpace(after)
		}
	}
	return ""
}

// firstOfCPU returns what Linux says of the first CPU under one of the names.
func (s System) firstOfCPU(names ...string) string {
	for line := range strings.Lines(s.text("proc/cpuinfo")) {
		name, value, _ := strings.Cut(line, ":")
		if slices.Contains(names, strings.TrimSpace(name)) {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
