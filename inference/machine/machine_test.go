package machine_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference/machine"
)

const (
	gib = 1 << 30
	mib = 1 << 20
	// mounts of version 2, of version 1, and of both, as Linux writes them
	mounts2 = "22 27 0:21 / /proc rw - proc proc rw\n30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 " +
		"cgroup2 rw\n"
	mounts1 = "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n" +
		"32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
	hybrid = mounts1 + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
)

// tree is a root with what files say, by their names. 8 GiB of 16 are available, and two cores with two hardware
// threads each.
func tree(files map[string]string) machine.System {
	all := map[string]string{
		"proc/meminfo":                  "MemTotal:       16777216 kB\nMemAvailable:    8388608 kB\n",
		"proc/self/status":              "Name:\tparley\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\n",
		"sys/devices/system/cpu/online": "0-3\n",
		"sys/devices/system/cpu/cpu0/topology/core_cpus_list": "0,2",
		"sys/devices/system/cpu/cpu1/topology/core_cpus_list": "1,3",
		"sys/devices/system/cpu/cpu2/topology/core_cpus_list": "0,2",
		"sys/devices/system/cpu/cpu3/topology/core_cpus_list": "1,3",
	}
	maps.Copy(all, files)
	root := make(fstest.MapFS)
	for name, text := range all {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return machine.In(root)
}

// TestMemory reads the limits of control groups: the one that leaves least counts, and cached files are free.
func TestMemory(t *testing.T) {
	const dir, v1 = "sys/fs/cgroup/", "sys/fs/cgroup/memory/"
	for name, c := range map[string]struct {
		files map[string]string
		want  machine.Memory
	}{
		"no groups": {nil, machine.Memory{Available: 8 * gib}},
		"no limit": {map[string]string{"proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": mounts2,
			dir + "a/memory.max": "max\n", dir + "a/memory.high": "max\n"}, machine.Memory{Available: 8 * gib}},
		"container": {map[string]string{"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": mounts2,
			dir + "memory.max": "629145600\n", dir + "memory.current": "524288000\n",
			dir + "memory.stat": "anon 1\ninactive_file 209715200\nactive_file 104857600\nslab_reclaimable " +
				"104857600\n"},
			machine.Memory{Available: 500 * mib, Limit: 600 * mib, Used: 100 * mib, Source: "/" + dir + "memory.max"}},
		"limit of a parent": {map[string]string{"proc/self/cgroup": "0::/job_1/step_0\n",
			"proc/self/mountinfo":           mounts2,
			dir + "job_1/step_0/memory.max": "max\n", dir + "job_1/memory.max": "2147483648\n",
			dir + "job_1/memory.current": "1073741824\n"},
			machine.Memory{Available: gib, Limit: 2 * gib, Used: gib, Source: "/" + dir + "job_1/memory.max"}},
		"a larger limit that leaves less": {map[string]string{"proc/self/cgroup": "0::/a/b\n",
			"proc/self/mountinfo": mounts2, dir + "a/b/memory.max": "1073741824\n", dir +
				"a/memory.max": "2147483648\n",
			dir + "a/memory.current": "1610612736\n"},
			machine.Memory{Available: gib / 2, Limit: 2 * gib, Used: 3 * gib / 2, Source: "/" + dir + "a/memory.max"}},
		"high below max": {map[string]string{"proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": mounts2,
			dir + "a/memory.max": "2147483648\n", dir + "a/memory.high": "1073741824\n"},
			machine.Memory{Available: gib, Limit: gib, Source: "/" + dir + "a/memory.high"}},
		"above high": {map[string]string{"proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": mounts2,
			dir + "a/memory.high": "1073741824\n", dir + "a/memory.current": "1073741825\n"},
			machine.Memory{Available: 1, Limit: gib, Used: gib + 1, Source: "/" + dir + "a/memory.high"}},
		"more than there is": {map[string]string{"proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": mounts2,
			dir + "a/memory.max": "17179869184\n"},
			machine.Memory{Available: 8 * gib, Limit: 16 * gib, Source: "/" + dir + "a/memory.max"}},
		"version 1": {map[string]string{"proc/self/cgroup": "4:memory:/slurm/uid_1\n1:cpu:/\n",
			"proc/self/mountinfo": mounts1, v1 + "slurm/uid_1/memory.limit_in_bytes": "9223372036854771712\n",
			v1 + "slurm/memory.limit_in_bytes": "1073741824\n", v1 + "slurm/memory.usage_in_bytes": "536870912\n",
			v1 + "slurm/memory.stat": "inactive_file 7\ntotal_inactive_file 134217728\ntotal_active_file 134217728\n"},
			machine.Memory{Available: 3 * gib / 4, Limit: gib, Used: gib / 4,
				Source: "/" + v1 + "slurm/memory.limit_in_bytes"}},
		"version 1 under a parent that is not seen": {map[string]string{"proc/self/cgroup": "4:memory:/docker/x\n",
			"proc/self/mountinfo":        "1 2 0:3 /docker/x /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
			v1 + "memory.limit_in_bytes": "9223372036854771712\n", v1 + "memory.usage_in_bytes": "1048576\n",
			v1 + "memory.stat": "hierarchical_memory_limit 1073741824\n"},
			machine.Memory{Available: 1023 * mib, Limit: gib, Used: mib, Source: "/" + v1 + "memory.stat"}},
		"hybrid": {map[string]string{"proc/self/cgroup": "4:memory:/a\n0::/b\n", "proc/self/mountinfo": hybrid,
			v1 + "a/memory.limit_in_bytes": "1073741824\n", dir + "unified/a/memory.max": "1048576\n"},
			machine.Memory{Available: gib, Limit: gib, Source: "/" + v1 + "a/memory.limit_in_bytes"}},
		"another view": {map[string]string{"proc/self/cgroup": "0::/\n",
			"proc/self/mountinfo":       `1 2 0:3 /../my\040box /sys/fs/cg\040roup ro - cgroup2 cgroup rw` + "\n",
			"sys/fs/cg roup/memory.max": "1073741824\n"},
			machine.Memory{Available: gib, Limit: gib, Source: "/sys/fs/cg roup/memory.max"}},
		"outside of the view": {map[string]string{"proc/self/cgroup": "0::/../other\n", "proc/self/mountinfo": mounts2,
			dir + "memory.max": "1073741824\n"}, machine.Memory{Available: 8 * gib}},
		"a longer name": {map[string]string{"proc/self/cgroup": "0::/a/b2\n",
			"proc/self/mountinfo": mounts2 + "9 2 0:3 /a/b /other ro - cgroup2 cgroup rw\n",
			"other/memory.max":    "1073741824\n"}, machine.Memory{Available: 8 * gib}},
		"garbage": {map[string]string{"proc/self/cgroup": "0::\n:::\nx\n0::../..\n\xff",
			"proc/self/mountinfo": " - cgroup2\n- -\n" +
				"a b c / / - cgroup2 x y\n" + mounts2, dir + "memory.max": "-1\n", dir + "memory.high": "12 apples\n",
			"proc/meminfo": "MemAvailable\nMemAvailable: x kB\n"}, machine.Memory{}},
		"only a limit": {map[string]string{"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": mounts2,
			dir + "memory.max": "1073741824\n", "proc/meminfo": ""},
			machine.Memory{Available: gib, Limit: gib, Source: "/" + dir + "memory.max"}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, tree(c.files).Memory()); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestCPUs counts cores among the CPUs of the affinity mask, and reads quotas.
func TestCPUs(t *testing.T) {
	const mask, topology = "proc/self/status", "sys/devices/system/cpu/cpu"
	older := map[string]string{"sys/devices/system/cpu/online": "", "proc/cpuinfo": "processor\t: 0\nphysical " +
		"id\t: 0\n" +
		"core id\t: 0\nflags\t: fpu\n\nprocessor\t: 1\nphysical id\t: 1\ncore id\t: 0\n\nprocessor\t: 2\n" +
		"physical id\t: 0\ncore id\t: 0\n"}
	for _, cpu := range "0123" {
		older[topology+string(cpu)+"/topology/core_cpus_list"] = ""
	}
	for name, c := range map[string]struct {
		files   map[string]string
		want    machine.CPUs
		threads int
	}{
		"whole": {nil, machine.CPUs{Online: 4, Allowed: 4, Cores: 2}, 2},
		"siblings": {map[string]string{mask: "Cpus_allowed_list:\t1,3\n"},
			machine.CPUs{Online: 4, Allowed: 2, Cores: 1}, 1},
		"two cores": {map[string]string{mask: "Cpus_allowed_list:\t2-3\n"},
			machine.CPUs{Online: 4, Allowed: 2, Cores: 2}, 2},
		"CPUs to be": {map[string]string{mask: "Cpus_allowed_list:\t0-127\n"},
			machine.CPUs{Online: 4, Allowed: 4, Cores: 2}, 2},
		"without /sys": {older, machine.CPUs{Online: 3, Allowed: 3, Cores: 2}, 2},
		"older Linux": {map[string]string{mask: "Cpus_allowed_list:\t0,2\n", topology + "0/topology/core_cpus_list": "",
			topology + "2/topology/core_cpus_list": "", topology + "0/topology/thread_siblings_list": "0,2",
			topology + "2/topology/thread_siblings_list": "0,2"}, machine.CPUs{Online: 4, Allowed: 2, Cores: 1}, 1},
		"quota of 1.5": {map[string]string{"proc/self/cgroup": "0::/a/b\n", "proc/self/mountinfo": mounts2,
			"sys/fs/cgroup/a/b/cpu.max": "max 100000\n", "sys/fs/cgroup/a/cpu.max": "150000 100000\n"},
			machine.CPUs{Online: 4, Allowed: 4, Cores: 2, Quota: 1.5, Source: "/sys/fs/cgroup/a/cpu.max"}, 2},
		"quota of 0.5": {map[string]string{"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": mounts2,
			"sys/fs/cgroup/cpu.max": "50000 100000\n"},
			machine.CPUs{Online: 4, Allowed: 4, Cores: 2, Quota: 0.5, Source: "/sys/fs/cgroup/cpu.max"}, 1},
		"version 1": {map[string]string{"proc/self/cgroup": "3:cpu,cpuacct:/a/b\n0::/\n", "proc/self/mountinfo": hybrid,
			"sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us":  "-1\n",
			"sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us": "100000\n",
			"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us":    "20000\n",
			"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us":   "20000\n"},
			machine.CPUs{Online: 4, Allowed: 4, Cores: 2, Quota: 1,
				Source: "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us"}, 1},
		"garbage": {map[string]string{mask: "Cpus_allowed_list:\t3-,x\n",
			"sys/devices/system/cpu/online": "0-99999999999",
			"proc/cpuinfo":                  "processor: -7\ncore id: 3\nprocessor: 99999999\n",
			"proc/self/cgroup":              "0::/\n",
			"proc/self/mountinfo":           mounts2, "sys/fs/cgroup/cpu.max": "1 0\n"}, machine.CPUs{
			Cores: 1 << 16}, 1 << 16},
	} {
		t.Run(name, func(t *testing.T) {
			got := tree(c.files).CPUs()
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			if got.Threads() != c.threads {
				t.Errorf("%d threads, want %d", got.Threads(), c.threads)
			}
		})
	}
}

// TestHere: this machine has at least one thread, and what it says is plausible.
func TestHere(t *testing.T) {
	if n := machine.Threads(); n < 1 || n > 8192 {
		t.Errorf("%d threads, want at least 1 and at most 8192", n)
	}
	if name := machine.Name(); !strings.Contains(name, " cores of ") {
		t.Errorf("name %q, want \" cores of \" in it", name)
	}
	if m := machine.Here().Memory(); m.Available < 0 || m.Source != "" && m.Available > max(1, m.Limit-m.Used) {
		t.Errorf("the memory here is %+v, want what is available within the limit", m)
	}
}

// FuzzSystem: whatever the files say, reading them ends, and what comes out is in its range.
func FuzzSystem(f *testing.F) {
	f.Add("0::/a/b\n", mounts2, "0-3\n", "100000 100000\n", "1048576\n")
	f.Add("4:memory,cpu:/a\n", hybrid, "1,3\n", "max", "max")
	f.Add("0::/\n", "a b c / / - cgroup2 x y\n", "0-65535,0-65535,0-65535", "1 1", "-1")
	f.Fuzz(func(t *testing.T, groups, mounts, list, quota, limit string) {
		s := tree(map[string]string{"proc/self/cgroup": groups, "proc/self/mountinfo": mounts,
			"proc/self/status": "Cpus_allowed_list: " + list, "sys/devices/system/cpu/online": list,
			"proc/cpuinfo": "processor: " + list, "sys/fs/cgroup/a/cpu.max": quota,
			"sys/fs/cgroup/a/memory.max": limit, "sys/fs/cgroup/a/memory.stat": "inactive_file " + limit,
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": limit})
		if n := s.CPUs().Threads(); n < 1 || n > 1<<16 {
			t.Errorf("%d threads, want 1 to %d", n, 1<<16)
		}
		if m := s.Memory(); m.Available < 1 || m.Available > 8*gib || m.Used < 0 || m.Limit < 0 {
			t.Errorf("the memory is %+v, want 1 byte to 8 GiB available, and nothing negative", m)
		}
	})
}

// TestAddressLimit: the limit is read as Linux writes it, and no limit is 0.
func TestAddressLimit(t *testing.T) {
	for text, want := range map[string]int64{
		"Max stack size  8388608 bytes\nMax address space  1024000000  1024000000  bytes\n": 1024000000,
		"Max address space         unlimited            unlimited            bytes\n":       0,
		"Max address space\n": 0, "": 0,
	} {
		if got := machine.In(fstest.MapFS{"proc/self/limits": {Data: []byte(text)}}).AddressLimit(); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// TestProcessor reads what Linux says of the first CPU, of x86 and of Arm.
func TestProcessor(t *testing.T) {
	for text, want := range map[string]string{
		"processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 2\nmodel name\t: AMD EPYC\n" +
			"flags\t\t: fpu avx2 sse fma\n\nprocessor\t: 1\nmodel\t: 3\n": "family 26, model 2: avx2 fma",
		"processor\t: 0\nFeatures\t: fp asimd asimddp\nCPU architecture: 8\nCPU part\t: 0xd40\n": "family 8, model " +
			"0xd40: asimd asimddp",
		"": "",
	} {
		t.Run(want, func(t *testing.T) {
			if got := tree(map[string]string{"proc/cpuinfo": text}).Processor().String(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
