package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/internal/datatest"
)

// gpuKit is a kit of `make gpu-kit` that holds this program, on the CPU or with what passes for CUDA.
type gpuKit struct{ dir, bin string }

func newGPUKit(t *testing.T, description string) gpuKit {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here")
	}
	k := gpuKit{t.TempDir(), t.TempDir()}
	script := datatest.Read(t, "../../tools/gpu-kit/run.py")
	k.write(t, filepath.Join(k.dir, "run.py"), string(script))
	k.write(t, filepath.Join(k.dir, "kit.json"), description)
	program, err := os.Executable() // is parley under that name
	if err == nil {
		err = os.Symlink(program, filepath.Join(k.dir, "parley"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (gpuKit) write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// program is a shell script in the kit or, as a part of the machine, in bin.
func (k gpuKit) program(t *testing.T, dir, name, script string) {
	t.Helper()
	k.write(t, filepath.Join(dir, name), "#!/bin/sh\n"+script+"\n")
}

// kitResults are what the kit wrote.
type kitResults struct {
	Stages map[string]struct {
		Result json.RawMessage
		Failed string
	}
}

// run starts the kit with nothing but the system's programs and those of bin.
func (k gpuKit) run(t *testing.T, arguments ...string) (found kitResults, page string, code int) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(k.dir, "out")
	c := exec.Command(python, append([]string{filepath.Join(k.dir, "run.py"), "--dry", "--shape", "test",
		"--quantization", "q8_0", "--out", out}, arguments...)...)
	c.Env = []string{"PATH=" + k.bin + ":/usr/bin:/bin", "HOME=" + k.bin}
	said, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	t.Logf("%s", said)
	for name, to := range map[string]func([]byte) error{
		"results.json": func(text []byte) error { return json.Unmarshal(text, &found) },
		"page.md":      func(text []byte) error { page = string(text); return nil },
	} {
		text, err := os.ReadFile(filepath.Join(out, name))
		if err == nil {
			err = to(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return found, page, c.ProcessState.ExitCode()
}

// TestGPUKit runs a kit on the CPU: what it can measure is there, and what it lacks is said.
func TestGPUKit(t *testing.T) {
	t.Parallel()
	k := newGPUKit(t, `{"version": "v", "llama_cpp": "v", "gpu": ""}`)
	found, page, code := k.run(t, "--cpu", "--stages", "machine", "doctor", "bits", "model", "limits", "w1")
	var bits struct {
		Compared map[string]struct {
			Replies int `json:"replies"`
			Bits    int `json:"same_bits"`
		}
		Replayed struct{ Equal, Different int }
	}
	if err := json.Unmarshal(found.Stages["bits"].Result, &bits); err != nil {
		t.Fatal(err)
	}
	for name, c := range bits.Compared {
		if c.Replies == 0 || c.Bits != c.Replies { // our kernels on the CPU give the same bits at every width
			t.Errorf("%s: %+v, want all replies equal", name, c)
		}
	}
	if len(bits.Compared) != 6 || bits.Replayed.Equal == 0 || bits.Replayed.Different != 0 {
		t.Errorf("%+v, want six comparisons and only equal replies", bits)
	}
	if s := found.Stages["limits"]; code != 1 || !strings.Contains(s.Failed, "llama-bench is not in this kit") {
		t.Errorf("exit code %d, limits %+v, want 1 and what is missing", code, s)
	}
	if len(found.Stages["w1"].Result) == 0 || !strings.Contains(page, "| w1 |") {
		t.Errorf("W1 was not measured after a stage that failed:\n%s", page)
	}
}

// TestGPUKitFailures: what can be foreseen on a machine with or without a card is said, and nothing more is tried
// without one.
func TestGPUKitFailures(t *testing.T) {
	const cuda = `{"version": "v", "llama_cpp": "v", "gpu": "cuda", "cuda": "13.0", "driver": "580", ` +
		`"architectures": "90", "libraries": ["libnowhere.so.13"]}`
	card := func(row string) string { return `case "$*" in *-lms*) ;; *) echo "` + row + `" ;; esac` }
	for name, c := range map[string]struct{ smi, want string }{
		"no driver":   {"", "no nvidia-smi"},
		"no card":     {"exit 0", "lists no card"},
		"driver dies": {"echo 'driver/library version mismatch' >&2; exit 18", "version mismatch"},
		"old driver":  {card("NVIDIA H100, 535.104.05, 81559, 81000, 700.00, 9.0"), "535.104.05 is older than 580"},
		"other card":  {card("NVIDIA A100, 580.1, 40960, 40000, 400.00, 8.0"), "this kit was built for 90"},
		"no library":  {card("NVIDIA H100, 580.159.04, 81559, 81000, 700.00, 9.0"), "libnowhere.so.13 is not on"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newGPUKit(t, cuda)
			if c.smi != "" {
				k.program(t, k.bin, "nvidia-smi", c.smi)
			}
			found, page, code := k.run(t)
			if code != 1 || len(found.Stages) != 1 || !strings.Contains(found.Stages["machine"].Failed, c.want) ||
				!strings.Contains(page, c.want) {
				t.Errorf("exit code %d, %+v, want 1 and %q alone", code, found.Stages, c.want)
			}
		})
	}
	for name, c := range map[string]struct{ script, minutes, want string }{
		"time over": {"sleep 60", "0.05", "no time is left"},
		"no space":  {"echo 'no space left on device' >&2; exit 1", "1", "no space left on device"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newGPUKit(t, `{"version": "v", "llama_cpp": "v", "gpu": ""}`)
			if err := os.Remove(filepath.Join(k.dir, "parley")); err != nil {
				t.Fatal(err)
			}
			k.program(t, k.dir, "parley", c.script)
			started := time.Now()
			found, _, code := k.run(t, "--cpu", "--minutes", c.minutes, "--stages", "machine", "doctor", "model", "w1")
			if took := time.Since(started); code != 1 || took > 30*time.Second ||
				len(found.Stages["machine"].Result) == 0 || !strings.Contains(found.Stages["model"].Failed, c.want) ||
				found.Stages["w1"].Failed == "" {
				t.Errorf("exit code %d after %s, %+v; want what was measured before, and %q", code, took, found.Stages,
					c.want)
			}
		})
	}
}
