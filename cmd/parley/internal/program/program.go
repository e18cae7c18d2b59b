// Package program says what this program is: its version, how it was built, and for which processors.
package program

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/machine"
)

// Line identifies the program and its build in one line, for --version and doctor.
func Line() string { return Version() + "; " + Build() }

// Version returns the module version and the revision that go build recorded, if any.
func Version() string {
	info, _ := debug.ReadBuildInfo()
	version, revision, modified := "unknown", "", ""
	if info != nil {
		version = info.Main.Version
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = " " + s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = " modified"
			}
		}
	}
	return version + revision + modified
}

// Date is the time of the commit that the program was built from: $SOURCE_DATE_EPOCH, in seconds, where that is set,
// and else what go build recorded. It is the beginning of 1970 where neither says it.
func Date() time.Time {
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		return time.Unix(seconds, 0).UTC()
	}
	if info, _ := debug.ReadBuildInfo(); info != nil {
		for _, s := range info.Settings {
			if at, err := time.Parse(time.RFC3339, s.Value); err == nil && s.Key == "vcs.time" {
				return at
			}
		}
	}
	return time.Unix(0, 0).UTC()
}

// Flags returns the flags that the program was compiled with, as go build recorded them.
func Flags() (flags []string) {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return nil
	}
	for _, s := range info.Settings {
		if strings.HasPrefix(s.Key, "-") && s.Key != "-compiler" || s.Key == "CGO_CFLAGS" || s.Key == "CGO_LDFLAGS" {
			flags = append(flags, fmt.Sprintf("%s=%q", s.Key, s.Value))
		}
	}
	return flags
}

// Build names the llama.cpp inside, its compiler and the CPU features it was built for.
func Build() string { return llamacpp.Build().String() }

// vectorUnits pairs Linux CPU flags with the names that ggml gives the same features: those that matter most to speed.
var vectorUnits = [][2]string{{"avx2", "AVX2"}, {"fma", "FMA"}, {"f16c", "F16C"}, {"avx512f", "AVX512"},
	{"avx512_vnni", "AVX512_VNNI"}, {"asimd", "NEON"}, {"asimddp", "DOTPROD"}}

// CheckVectors reports whether a build uses the vector units that the CPU has, and says so in words.
func CheckVectors(build llamacpp.BuildInfo) (detail string, ok bool) {
	flags := machine.CPUFlags()
	var unused []string
	for _, unit := range vectorUnits {
		if slices.Contains(flags, unit[0]) && !build.Features[unit[1]] {
			unused = append(unused, unit[1])
		}
	}
	switch {
	case len(flags) == 0:
		return "this system does not report CPU features", true
	case len(unused) > 0:
		return "llama.cpp was compiled without " + strings.Join(unused, ", ") +
			", which this CPU has: run `make build` on this machine", false
	case !build.Features["REPACK"]:
		return "the build does not repack weights for the CPU (GGML_USE_CPU_REPACK): quantized models run slower", false
	}
	return "the build uses all vector units of this CPU", true
}

// Features lists the vector units that this build uses, as the kernel calls those of a CPU.
func Features() (features []string) {
	built := llamacpp.Build().Features
	for _, unit := range vectorUnits {
		if built[unit[1]] {
			features = append(features, unit[0])
		}
	}
	return features
}
