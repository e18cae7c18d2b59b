package machine

import (
	"fmt"
	"slices"
	"strings"
)

// Processor is what Linux says of the first CPU. Fields are empty where it says nothing.
type Processor struct {
	Vendor   string   `json:"vendor,omitempty"`
	Family   string   `json:"family,omitempty"`
	Model    string   `json:"model,omitempty"`
	Stepping string   `json:"stepping,omitempty"`
	Features []string `json:"features,omitempty"` // instruction sets that matter to speed, by their Linux names
}

// instructionSets are those that kernels of matrix products use.
var instructionSets = []string{"avx", "avx2", "fma", "f16c", "avx_vnni", "avx512f", "avx512bw", "avx512vl",
	"avx512vbmi", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_int8", "amx_bf16", "asimd", "asimddp", "i8mm",
	"bf16", "sve", "sve2"}

// Processor returns what there is to know of the CPU that this process runs on.
func (s System) Processor() Processor {
	p := Processor{Vendor: s.firstOfCPU("vendor_id", "CPU implementer"),
		Family: s.firstOfCPU("cpu family", "CPU architecture"), Model: s.firstOfCPU("model", "CPU part"),
		Stepping: s.firstOfCPU("stepping", "CPU revision")}
	has := s.cpuFlags()
	for _, name := range instructionSets {
		if slices.Contains(has, name) {
			p.Features = append(p.Features, name)
		}
	}
	return p
}

// String is "family 25, model 17: avx2 fma", or "" if nothing is known.
func (p Processor) String() string {
	text := ""
	if p.Family != "" {
		text = fmt.Sprintf("family %s, model %s", p.Family, p.Model)
	}
	if len(p.Features) > 0 {
		text += ": " + strings.Join(p.Features, " ")
	}
	return strings.TrimPrefix(text, ": ")
}
