package machine

import (
	"math"
	"path"
	"strconv"
	"strings"
)

// CPUs are those that this process may use.
type CPUs struct {
	Online  int // hardware threads of the machine; 0 if the system does not report them
	Allowed int // of them those in the affinity mask, which lies within the cpuset of the control groups
	Cores   int // physical cores of the allowed ones
	// Quota is how many CPUs' time the control groups give, 0 if all of it, and Source the file that says so.
	Quota  float64
	Source string
}

// Threads returns how many threads compute best: one a core, since matrix products gain nothing from a second hardware
// thread, and no more than there is time for, since the others would wait for those that have none left.
func (c CPUs) Threads() int {
	n := c.Cores
	if c.Quota > 0 {
		n = min(n, int(math.Ceil(min(c.Quota, maxCPU))))
	}
	return max(1, n)
}

// maxCPU is above all numbers of CPUs, of which Linux has at most 8,192.
const maxCPU = 1 << 16

// CPUs returns the CPUs that this process may use. Where the system does not report its cores, those of the result are
// above all numbers.
func (s System) CPUs() (c CPUs) {
	cores := s.coresByCPU()
	online := list(s.text("sys/devices/system/cpu/online"))
	if online == nil {
		for cpu := range cores {
			online = append(online, cpu)
		}
	}
	allowed := make(map[int]bool)
	for _, cpu := range list(s.line("proc/self/status", "Cpus_allowed_list")) {
		allowed[cpu] = true
	}
	different := make(map[string]bool)
	for _, cpu := range online {
		if len(allowed) == 0 || allowed[cpu] {
			c.Allowed++
			different[s.coreOf(cpu, cores)] = true
		}
	}
	c.Online, c.Cores = len(online), len(different)
	if c.Cores == 0 {
		c.Cores = maxCPU
	}
	for _, g := range s.groups("cpu") {
		if quota, source := s.quota(g); quota > 0 && (c.Quota == 0 || quota < c.Quota) {
			c.Quota, c.Source = quota, "/"+source
		}
	}
	return c
}

// coreOf names the core of a CPU.
func (s System) coreOf(cpu int, cores map[int]string) string {
	for _, file := range []string{"core_cpus_list", "thread_siblings_list"} { // the latter before Linux 5.4
		name := "sys/devices/system/cpu/cpu" + strconv.Itoa(cpu) + "/topology/" + file
		if siblings := s.text(name); siblings != "" {
			return siblings
		}
	}
	if core := cores[cpu]; core != "" {
		return core
	}
	return "cpu" + strconv.Itoa(cpu)
}

// coresByCPU reads /proc/cpuinfo: each CPU with its socket and core, "" where they are not said.
func (s System) coresByCPU() map[int]string {
	cores := make(map[int]string)
	cpu, socket := -1, ""
	for line := range strings.Lines(s.text("proc/cpuinfo")) {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "processor":
			cpu, socket = -1, ""
			if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < maxCPU {
				cpu, cores[n] = n, ""
			}
		case "physical id":
			socket = value
		case "core id":
			if cpu >= 0 {
				cores[cpu] = "socket " + socket + " core " + value
			}
		}
	}
	return cores
}

// quota returns how many CPUs' time a group has, and the file that says so, or 0 if there is no limit.
func (s System) quota(g group) (cpus float64, source string) {
	source = path.Join(g.dir, "cpu.max")
	fields := strings.Fields(s.text(source)) // such as "150000 100000", or "max 100000"
	if !g.v2 {
		source = path.Join(g.dir, "cpu.cfs_quota_us") // -1 if there is no limit
		fields = []string{s.text(source), s.text(path.Join(g.dir, "cpu.cfs_period_us"))}
	}
	if len(fields) != 2 {
		return 0, ""
	}
	quota, err := strconv.ParseInt(fields[0], 10, 64)
	period, err2 := strconv.ParseInt(fields[1], 10, 64)
	if err != nil || err2 != nil || quota <= 0 || period <= 0 {
		return 0, ""
	}
	return float64(quota) / float64(period), source
}

// list reads a list of CPUs such as "0-3,8"; the result is nil if it is none.
func list(text string) (cpus []int) {
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		first, err := strconv.Atoi(from)
		last := first
		if isRange && err == nil {
			last, err = strconv.Atoi(to)
		}
		if err != nil || first < 0 || last >= maxCPU || len(cpus) > maxCPU {
			return nil
		}
		for cpu := first; cpu <= last; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}
