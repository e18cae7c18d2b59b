package machine

import (
	"path"
	"strconv"
	"strings"
)

// unlimited is more than any memory, in bytes: version 1 writes a number of that kind where there is no limit.
const unlimited = 1 << 60

// Memory is what this process may use of the machine's memory, in bytes.
type Memory struct {
	// Available is what can be used without swapping: what is free, and what the system would give back, such as cached
	// files, or 0 if the system does not report it.
	Available int64
	// Limit is that of the control group which leaves least, 0 if none has one; Used is what of it cannot be given
	// back, and Source the file that says so.
	Limit, Used int64
	Source      string
}

// Memory returns the memory that this process may use.
func (s System) Memory() Memory {
	m := Memory{Available: s.bytesOf("proc/meminfo", "MemAvailable")}
	for _, g := range s.groups("memory") {
		limit, source := s.memoryLimit(g)
		if limit >= unlimited {
			continue
		}
		if used := s.memoryUsed(g); m.Source == "" || limit-used < m.Limit-m.Used {
			m.Limit, m.Used, m.Source = limit, used, "/"+source
		}
	}
	if left := max(1, m.Limit-m.Used); m.Source != "" && (m.Available == 0 || left < m.Available) {
		m.Available = left
	}
	return m
}

// memoryLimit returns the most that a group may use, and the file that says so. Above memory.high of version 2,
// processes are held up until they have given memory back, so that it is a limit like memory.max.
func (s System) memoryLimit(g group) (limit int64, source string) {
	limit = unlimited
	at := func(n int64, file string) {
		if n < limit {
			limit, source = n, path.Join(g.dir, file)
		}
	}
	files := []string{"memory.limit_in_bytes"}
	if g.v2 {
		files = []string{"memory.max", "memory.high"}
	}
	for _, file := range files {
		if n, ok := s.number(path.Join(g.dir, file)); ok {
			at(n, file)
		}
	}
	if n, ok := s.memoryStat(g)["hierarchical_memory_limit"]; ok && !g.v2 { // also that of parents that are not seen
		at(n, "memory.stat")
	}
	return limit, source
}

// memoryUsed returns what the processes of a group hold and would not give back: as in MemAvailable, cached files are
// taken to be free, also those that are mapped.
func (s System) memoryUsed(g group) int64 {
	file, reclaimable := "memory.usage_in_bytes", []string{"total_inactive_file", "total_active_file"}
	if g.v2 {
		file, reclaimable = "memory.current", []string{"inactive_file", "active_file", "slab_reclaimable"}
	}
	used, _ := s.number(path.Join(g.dir, file))
	stat := s.memoryStat(g)
	for _, name := range reclaimable {
		used -= stat[name]
	}
	return max(0, used)
}

// memoryStat returns the lines of memory.stat, such as "inactive_file 4096", that have numbers.
func (s System) memoryStat(g group) map[string]int64 {
	stat := make(map[string]int64)
	for line := range strings.Lines(s.text(path.Join(g.dir, "memory.stat"))) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && n >= 0 && n < unlimited {
			stat[name] = n
		}
	}
	return stat
}
