package machine

import (
	"path"
	"slices"
	"strings"
)

// group is a control group in whose limits this process is, by its directory. Version 1 has a hierarchy for each
// controller, version 2 one for all; a system can have both, each controller being in one of them.
type group struct {
	v2  bool
	dir string // in System.root
}

// groups returns the groups of a controller: that of the process and its parents, as far as they can be seen.
func (s System) groups(controller string) (groups []group) {
	mounts := s.mounts()
	for line := range strings.Lines(s.text("proc/self/cgroup")) { // 4:cpu,cpuacct:/path, or 0::/path of version 2
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) < 3 {
			continue
		}
		v2 := fields[0] == "0" && fields[1] == ""
		if !v2 && !slices.Contains(strings.Split(fields[1], ","), controller) {
			continue
		}
		for _, dir := range visibleDirectories(mounts, v2, controller, fields[2]) {
			groups = append(groups, group{v2, dir})
		}
	}
	return groups
}

// visibleDirectories returns the directories of a group and its parents, in mounts that have it. In a container, what
// is mounted may be another view of the groups than that in which the process is named; then what is mounted is taken
// for its own.
func visibleDirectories(mounts []mount, v2 bool, controller, name string) (dirs []string) {
	var others []string
	for _, m := range mounts {
		if m.v2 != v2 || !v2 && !slices.Contains(m.options, controller) {
			continue
		}
		below, ok := strings.CutPrefix(name, strings.TrimSuffix(m.root, "/"))
		switch {
		case strings.HasPrefix(name, "/.."): // in none that the process can see
		case !ok || below != "" && below[0] != '/':
			others = append(others, m.point)
		default:
			for ; len(below) > 1; below = path.Dir(below) {
				dirs = append(dirs, path.Join(m.point, below))
			}
			dirs = append(dirs, m.point)
		}
	}
	if dirs == nil {
		return others
	}
	return dirs
}

// mount is where control groups are mounted.
type mount struct {
	v2      bool
	root    string   // the group that is at the mount point
	point   string   // in System.root
	options []string // among them the controllers of version 1
}

// mounts reads lines such as "35 31 0:32 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory".
func (s System) mounts() (mounts []mount) {
	for line := range strings.Lines(s.text("proc/self/mountinfo")) {
		where, what, _ := strings.Cut(line, " - ")
		before, after := strings.Fields(where), strings.Fields(what)
		if len(before) < 5 || len(after) < 3 || after[0] != "cgroup" && after[0] != "cgroup2" {
			continue
		}
		mounts = append(mounts, mount{v2: after[0] == "cgroup2", root: unescaped.Replace(before[3]),
			point:   strings.TrimPrefix(path.Clean(unescaped.Replace(before[4])), "/"),
			options: strings.Split(after[2], ",")})
	}
	return mounts
}

// unescaped undoes what the kernel does to blanks in paths.
var unescaped = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
