package llamacpp

import (
	"cmp"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// AvailableMemory is the memory that can be used without swapping, in bytes; 0 if the system does not report it.
func AvailableMemory() int64 { return memoryField("/proc/meminfo", "MemAvailable:") }

// PeakMemory is the most memory that a process has held since it began, in bytes; 0 if the system does not report it.
func PeakMemory(pid int) int64 { return memoryField("/proc/"+strconv.Itoa(pid)+"/status", "VmHWM:") }

// memoryField reads a line such as "MemAvailable: 12345 kB", in bytes.
func memoryField(path, name string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == name {
			kib, _ := strconv.ParseInt(fields[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}

// PhysicalCores is the number of cores that this process may use, two hardware threads of one core counting once:
// matrix products gain nothing from the second.
func PhysicalCores() int {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.NumCPU()
	}
	cores := map[string]bool{}
	var socket string
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(name) {
		case "physical id":
			socket = value
		case "core id":
			cores[socket+value] = true
		}
	}
	if len(cores) == 0 {
		return runtime.NumCPU()
	}
	return max(1, min(len(cores), runtime.NumCPU()))
}

// CPUFlags are the features of the CPU by their Linux names, none if the system does not report them.
func CPUFlags() []string { return strings.Fields(firstOfCPU("flags", "Features")) }

// MachineName is the name of the CPU with the number of its cores.
func MachineName() string {
	return strconv.Itoa(PhysicalCores()) + " cores of " + cmp.Or(firstOfCPU("model name"), runtime.GOARCH)
}

// firstOfCPU is what Linux says of the first CPU under one of the names.
func firstOfCPU(names ...string) string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		if slices.Contains(names, strings.TrimSpace(name)) {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// LoadAverage is the load of the last 1, 5 and 15 minutes, "unknown" if the system does not report it.
func LoadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if fields := strings.Fields(string(text)); err == nil && len(fields) > 2 {
		return strings.Join(fields[:3], " ")
	}
	return "unknown"
}
