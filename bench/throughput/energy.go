package throughput

import (
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"
)

// energy reads the counters of the processor's packages (RAPL), and samples the power of NVIDIA's GPUs.
type energy struct {
	root    fs.FS
	before  map[string]counter
	gpus    *exec.Cmd // nvidia-smi; nil without one
	watts   *strings.Builder
	started time.Time
}

// counter counts micro-joules, and begins again at zero above a limit.
type counter struct{ value, limit uint64 }

func startEnergy() *energy {
	e := &energy{root: os.DirFS("/sys/class/powercap"), watts: new(strings.Builder), started: time.Now()}
	e.before = e.packages()
	if name, err := exec.LookPath("nvidia-smi"); err == nil {
		gpus := exec.Command(name, "--query-gpu=index,power.draw", "--format=csv,noheader,nounits", "-lms", "250")
		if gpus.Stdout = e.watts; gpus.Start() == nil {
			e.gpus = gpus
		}
	}
	return e
}

// packages reads the counters of all packages that this user may read.
func (e *energy) packages() map[string]counter {
	found := map[string]counter{}
	zones, _ := fs.Glob(e.root, "intel-rapl:[0-9]*")
	for _, zone := range zones {
		if strings.Count(zone, ":") != 1 { // intel-rapl:0:0 is a part of intel-rapl:0
			continue
		}
		var c counter
		for name, to := range map[string]*uint64{"energy_uj": &c.value, "max_energy_range_uj": &c.limit} {
			text, _ := fs.ReadFile(e.root, path.Join(zone, name))
			*to, _ = strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
		}
		if c.value > 0 {
			found[zone] = c
		}
	}
	return found
}

// joules ends the measurement and returns what was used, 0 if nothing on the machine tells.
func (e *energy) joules() (joules float64) {
	for zone, after := range e.packages() {
		before, known := e.before[zone]
		switch {
		case !known:
		case after.value >= before.value:
			joules += float64(after.value-before.value) / 1e6
		default:
			joules += float64(after.value+after.limit-before.value) / 1e6
		}
	}
	return joules + e.gpuJoules()
}

// gpuJoules are the mean powers of the GPUs, times the duration. Each line has the number of a GPU and its watts.
func (e *energy) gpuJoules() (joules float64) {
	if e.gpus == nil {
		return 0
	}
	seconds := time.Since(e.started).Seconds()
	_ = e.gpus.Process.Kill()
	_ = e.gpus.Wait() // killed
	watts := map[string][]float64{}
	for line := range strings.Lines(e.watts.String()) {
		gpu, power, _ := strings.Cut(line, ",")
		if w, err := strconv.ParseFloat(strings.TrimSpace(power), 64); err == nil && !math.IsNaN(w) {
			watts[gpu] = append(watts[gpu], w)
		}
	}
	for _, samples := range watts {
		joules += stat.Mean(samples, nil) * seconds
	}
	return joules
}
