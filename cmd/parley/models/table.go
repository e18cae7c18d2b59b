package models

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/throughput"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/machine"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/stores"
)

// modelLine is one model of the list, as --json prints it.
type modelLine struct {
	stores.Entry
	Hash     string        `json:"hash,omitempty"`
	Template bool          `json:"chat_template"`
	Fit      inference.Fit `json:"memory"`
	Known    bool          `json:"architecture_known"`
	Alone    float64       `json:"tokens_per_second_at_most,omitempty"`
	// Together is the bound for inference.UsualParallel generations at once, Alone that for one.
	Together float64 `json:"tokens_per_second_at_most_together,omitempty"`
}

// listModels prints all models that can be read, and only then the errors of the others: one broken file hides no
// model.
func listModels(cmd command.Line, list []stores.Entry, errs []error, hashes, asJSON bool) error {
	g := table.Grid{Heads: []string{"NAME", "FROM", "ARCHITECTURE", "PARAMETERS", "SIZE", "QUANTIZATION", "CONTEXT",
		"TEMPLATE", "FITS", "AT MOST, TOKENS/S"}}
	if hashes {
		g.Heads = append(g.Heads, "SHA256")
	}
	g.Heads = append(g.Heads, "PATH")
	g.Right = make([]bool, len(g.Heads))
	g.Right[6] = true // the context
	speed := llamacpp.MeasureSpeed(machine.Threads())
	var strange []string // models whose architecture this build does not know
	for _, m := range list {
		line := modelLine{Entry: m, Template: m.HasChatTemplate(), Fit: inference.FitOf(m.Info),
			Alone:    throughput.Bound(m.Info, speed, 1),
			Together: throughput.Bound(m.Info, speed, inference.UsualParallel)}
		if line.Known = llamacpp.CheckArchitecture(m.Architecture) == nil; !line.Known {
			strange = append(strange, fmt.Sprintf("%s (%s)", m.Name, m.Architecture))
		}
		var err error
		if hashes {
			line.Hash, err = models.Hash(m.Path)
		}
		switch {
		case err != nil:
			errs = append(errs, err)
		case asJSON:
			if err := json.NewEncoder(cmd.Out).Encode(line); err != nil {
				return err
			}
		default:
			g.Rows = append(g.Rows, line.row(hashes))
		}
	}
	if !asJSON {
		if err := terminal.Show(cmd.Out, g); err != nil {
			return err
		}
	}
	for _, err := range errs {
		fmt.Fprintln(cmd.Err, "parley:", err)
	}
	if len(strange) > 0 {
		fmt.Fprintf(cmd.Err, "parley: %d of these %d models cannot be run by this build, since its llama.cpp %s "+
			"does not know their architecture: %s; %s\n", len(strange), len(list), llamacpp.Build().Llama,
			strings.Join(strange, ", "), llamacpp.NewerLlama)
	}
	return nil
}

func (l modelLine) row(hashes bool) []string {
	template, fits, rate, architecture := "no", "no", "", l.Architecture
	if !l.Known {
		architecture += " (unknown)"
	}
	if l.Template {
		template = "yes"
	}
	switch {
	case l.Fit.Fits && l.Fit.Cells < l.Fit.Wanted:
		fits = humanize.Comma(int64(l.Fit.Cells)) + " cells"
	case l.Fit.Fits:
		fits = "yes"
	}
	if l.Alone > 0 {
		rate = fmt.Sprintf("%s, %s", twoDigits(l.Alone), twoDigits(l.Together))
	}
	row := []string{l.Name, l.From, architecture, humanize.SIWithDigits(float64(l.Parameters), 1, ""),
		humanize.IBytes(uint64(l.SizeBytes)), l.Quantization, strconv.Itoa(l.Context), template, fits, rate}
	if hashes {
		row = append(row, l.Hash[:12])
	}
	return append(row, l.Path)
}

// twoDigits writes a number with two significant digits, since the measured bound is not more precise.
func twoDigits(x float64) string {
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return strconv.FormatFloat(math.Round(x/unit)*unit, 'f', max(0, 1-int(math.Floor(math.Log10(x)))), 64)
}
