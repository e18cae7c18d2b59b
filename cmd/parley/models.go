package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models"
)

func newModels() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "models [DIR...]",
		Short: "List the available models",
		Long: `Lists the embedded model and the GGUF files in $PARLEY_MODELS (directories separated by colons), the
current directory and the user's cache (parley/models), or in the given directories instead. --model
takes their names.`,
		RunE: func(cmd *cobra.Command, dirs []string) error {
			for _, dir := range dirs { // of those searched by default, some need not exist
				if _, err := os.ReadDir(dir); err != nil {
					return input(fmt.Errorf("models in %q: %w", dir, err))
				}
			}
			if len(dirs) == 0 {
				dirs = models.Dirs()
			}
			return listModels(cmd, dirs, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON line per model")
	cmd.AddCommand(newSynth())
	return cmd
}

func listModels(cmd *cobra.Command, dirs []string, asJSON bool) error {
	list, errs := models.List(dirs...)
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{"name", "architecture", "parameters", "size", "quantization", "context", "template",
		"sha256", "path"})
	for _, m := range list {
		hash, err := models.Hash(m.Path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if asJSON {
			if err := json.NewEncoder(cmd.OutOrStdout()).Encode(struct {
				models.Info
				Hash     string `json:"hash"`
				Template bool   `json:"chat_template"`
			}{m, hash, m.HasChatTemplate()}); err != nil {
				return err
			}
			continue
		}
		template := "no"
		if m.HasChatTemplate() {
			template = "yes"
		}
		t.AppendRow(table.Row{m.Name, m.Architecture, humanize.SIWithDigits(float64(m.Parameters), 1, ""),
			humanize.IBytes(uint64(m.SizeBytes)),
			m.Quantization, m.Context, template, hash[:12], m.Path})
	}
	if !asJSON {
		fmt.Fprintln(cmd.OutOrStdout(), t.Render())
	}
	for _, err := range errs {
		fmt.Fprintln(cmd.ErrOrStderr(), "parley:", err)
	}
	return nil
}

func newSynth() *cobra.Command {
	var shape, quantization, out string
	var seed uint64
	var threads int
	var shapes []string
	for _, s := range models.Shapes {
		shapes = append(shapes, s.Name)
	}
	cmd := &cobra.Command{
		Use:   "synth",
		Short: "Write a model with random weights and a real architecture, to measure throughput",
		Long: `Writes a GGUF file with the shape of a real model, random weights and a made-up vocabulary. It takes
as long to compute as the real model and generates nonsense.`,
		Example: "  parley models synth --shape qwen2.5-0.5b --quantization q4_0",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := models.ShapeNamed(shape)
			if err != nil {
				return usage(err)
			}
			if out == "" {
				out = fmt.Sprintf("synthetic-%s-%s.gguf", s.Name, strings.ToLower(quantization))
			}
			if _, err := os.Stat(out); err == nil {
				return usage(fmt.Errorf("%q exists already; remove it or choose another file with --out", out))
			}
			if err := synthesize(cmd, models.Synthetic{Shape: s, Seed: seed}, quantization, threads, out); err != nil {
				return err
			}
			info, err := models.Inspect(out)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %s parameters, %s\n", out, info.Quantization,
				humanize.SIWithDigits(float64(info.Parameters), 2, ""), humanize.IBytes(uint64(info.SizeBytes)))
			return err
		},
	}
	cmd.Flags().StringVar(&shape, "shape", "qwen2.5-0.5b", "`MODEL` to take the shape of: "+strings.Join(shapes, ", "))
	cmd.Flags().StringVar(&quantization, "quantization", "q4_0",
		"`TYPE` of the weights: "+strings.Join(llamacpp.QuantizationTypes(), ", "))
	cmd.Flags().StringVarP(&out, "out", "o", "", "`FILE` to write (default synthetic-SHAPE-QUANTIZATION.gguf)")
	addNumber(cmd.Flags(), &seed, "seed", "s", 1, seedRange, "seed of the random weights")
	addNumber(cmd.Flags(), &threads, "threads", "t", llamacpp.PhysicalCores(), inference.ThreadsRange,
		"threads for quantization")
	return cmd
}

// synthesize writes an F16 file and has llama.cpp quantize it to any other type.
func synthesize(cmd *cobra.Command, s models.Synthetic, quantization string, threads int, out string) error {
	if strings.EqualFold(quantization, "f16") {
		return models.WriteSynthetic(out, s)
	}
	if err := llamacpp.CheckQuantization(quantization); err != nil {
		return usage(err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "writing %s of random weights, then quantizing on %d threads\n",
		humanize.IBytes(uint64(2*s.Shape.Parameters())), threads)
	half := filepath.Join(filepath.Dir(out), "."+filepath.Base(out)+".f16.gguf")
	if err := models.WriteSynthetic(half, s); err != nil {
		return err
	}
	err := llamacpp.Quantize(cmd.Context(), half, out, quantization, threads)
	return errors.Join(err, os.Remove(half))
}
