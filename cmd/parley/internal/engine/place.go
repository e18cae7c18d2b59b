package engine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bounds"
)

// RegisterPlaces adds the flag that puts one of several models elsewhere than --gpu-layers and --device say.
func (f *Flags) RegisterPlaces(set *pflag.FlagSet) {
	flags.Each(set, &f.places, "place", "", "MODEL=DEVICE[:LAYERS]", nil, "compute this one of several models, "+
		"named as --model or the team names it, on the GPU of that name (all layers, or so many), on any GPU (gpu), "+
		"or on the CPU (cpu); may be repeated")
}

// anyGPU and theCPU are what --place calls places that have no name of their own.
const anyGPU, theCPU = "gpu", "cpu"

// placeOptions returns the options that --place asks for. others are the names by which requests know the models
// besides the first; the first is named as --model names it.
func (f *Flags) placeOptions(others []string) (options []inference.Option, err error) {
	for _, text := range f.places {
		at := strings.LastIndexByte(text, '=')
		if at < 1 {
			return nil, exit.Usage(fmt.Errorf("--place %s: must be MODEL=DEVICE or MODEL=DEVICE:LAYERS", text))
		}
		name := text[:at]
		switch {
		case slices.Contains(others, name):
		case name == f.Model:
			name = ""
		default:
			return nil, exit.Usage(fmt.Errorf("--place %s: no model of this name takes part; there are %s", text,
				strings.Join(append([]string{f.Model}, others...), ", ")))
		}
		layers, device, err := parsePlace(text[at+1:])
		if err != nil {
			return nil, exit.Usage(fmt.Errorf("--place %s: %w", text, err))
		}
		options = append(options, inference.Place(name, layers, device))
	}
	return options, nil
}

// UseGPU reports whether any model has layers on a GPU.
func (f *Flags) UseGPU() bool {
	return f.gpuLayers != 0 || slices.ContainsFunc(f.places, func(place string) bool {
		return !strings.HasSuffix(place, "="+theCPU)
	})
}

// parsePlace reads DEVICE[:LAYERS].
func parsePlace(text string) (layers int, device string, err error) {
	device, number, given := strings.Cut(text, ":")
	layers = -1
	if given {
		if layers, err = strconv.Atoi(number); err != nil {
			return 0, "", fmt.Errorf("%q is not a number of layers", number)
		}
		if err := bounds.Check("layers", layers, bounds.From(1, inference.GPULayersRange.High)); err != nil {
			return 0, "", err
		}
	}
	switch {
	case device == "":
		return 0, "", errors.New("the device is missing: cpu, gpu, or a name that parley doctor prints")
	case device == theCPU && given:
		return 0, "", errors.New("the CPU computes the layers that no GPU does: name the GPU with their number")
	case device == theCPU:
		return 0, "", nil
	case device == anyGPU:
		device = ""
	}
	return layers, device, nil
}
