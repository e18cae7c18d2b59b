package doctor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/machine"
	"github.com/parley-debate/parley/kernels"
)

// examineMachine examines the build and the machine without loading a model, so that it works where no model does.
func examineMachine() []finding {
	build := llamacpp.Build()
	findings := []finding{{"build", "ok", program.Line()}}
	if build.Llama == "none" {
		findings[0] = finding{"build", "failed", llamacpp.ErrNoCgo.Error()}
	}
	findings = append(findings, examineArchitectures()...)
	findings = append(findings, vectorFinding(build))
	findings = append(findings, targetFinding()...)
	findings = append(findings, examineThreads(machine.Here().CPUs()))
	if m := machine.Here().Memory(); m.Available > 0 {
		findings = append(findings, examineMemory(m))
	}
	return append(findings, examineDevices()...)
}

// examineThreads says how many threads there are by default, and why.
func examineThreads(c machine.CPUs) finding {
	text := english.Plural(machine.Threads(), "thread", "") + " by default"
	if c.Online > 0 {
		text += ": " + english.Plural(c.Cores, "physical core", "")
	}
	if c.Allowed < c.Online {
		text += fmt.Sprintf(" in the affinity mask, which has %d of %s", c.Allowed, english.Plural(c.Online, "CPU", ""))
	}
	if c.Quota > 0 {
		text += fmt.Sprintf("; time of %.3g CPUs (%s)", c.Quota, c.Source)
	}
	return finding{"threads", "ok", text}
}

// examineMemory says how much there is, and which limit of control groups leaves least.
func examineMemory(m machine.Memory) finding {
	text := humanize.IBytes(uint64(m.Available)) + " available"
	if m.Source != "" {
		text += fmt.Sprintf("; limit of %s (%s), of which %s are in use", humanize.IBytes(uint64(m.Limit)), m.Source,
			humanize.IBytes(uint64(m.Used)))
	}
	return finding{"memory", "ok", text}
}

// examineDevices lists the backends of llama.cpp that are loaded, and the devices that they find.
func examineDevices() (findings []finding) {
	var names []string
	for _, b := range llamacpp.Backends() {
		name := b.Name
		if b.Devices == 0 {
			name += " (finds no device)"
		}
		names = append(names, name)
	}
	if names != nil {
		findings = append(findings, finding{"backends", "ok", strings.Join(names, ", ")})
	}
	for _, d := range llamacpp.Devices() {
		detail := fmt.Sprintf("%s (%s): %s", d.Name, d.Kind, d.Description)
		if d.GPU() && d.TotalBytes > 0 {
			detail += fmt.Sprintf("; %s of %s free", humanize.IBytes(uint64(d.FreeBytes)),
				humanize.IBytes(uint64(d.TotalBytes)))
		}
		findings = append(findings, finding{"device", "ok", detail})
	}
	return findings
}

// examineArchitectures counts the architectures that this build's llama.cpp knows.
func examineArchitectures() []finding {
	known, err := llamacpp.Architectures()
	switch {
	case errors.Is(err, llamacpp.ErrNoCgo):
		return nil
	case err != nil:
		return []finding{{"architecture", "failed", err.Error()}}
	}
	text := fmt.Sprintf("%d are known; parley models --architectures lists them", len(known))
	return []finding{{"architecture", "ok", text}}
}

// targetFinding names the instructions that our kernels compute with, and the others that this processor can run.
func targetFinding() []finding {
	var can []string
	for _, t := range kernels.Targets() {
		if t.Runs {
			can = append(can, t.Name)
		}
	}
	used, err := kernels.Choose("")
	switch {
	case err != nil:
		return []finding{{"kernels", "failed", err.Error() + "; change " + kernels.EnvironmentVariable}}
	case len(can) == 0: // a build without C++
		return nil
	}
	text := fmt.Sprintf("%s (%s); of those in this program, this processor can run %s, which give the same bits",
		used.Name, used.Needs, english.WordSeries(can, "and"))
	if !used.Products {
		text += "; products with weights are left to llama.cpp, unless --kernels parley:" + used.Name + " asks for them"
	}
	return []finding{{"kernels", "ok", text}}
}

// vectorFinding says whether the build uses the vector units of the CPU.
func vectorFinding(build llamacpp.BuildInfo) finding {
	detail, ok := program.CheckVectors(build)
	return finding{"vectors", map[bool]string{true: "ok", false: "warning"}[ok], detail}
}
