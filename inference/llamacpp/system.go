//go:build cgo && !llama_none

package llamacpp

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/parley-debate/parley/models"
)

// Backends lists the parts of llama.cpp that are loaded, also those that find no device.
func Backends() (backends []BackendInfo) {
	initialize()
	for i := range C.parley_backend_count() {
		var devices C.int32_t
		name := C.GoString(C.parley_backend_get(i, &devices))
		backends = append(backends, BackendInfo{name, int(devices)})
	}
	return backends
}

// Devices lists the devices that llama.cpp can compute on.
func Devices() (devices []DeviceInfo) {
	initialize()
	kinds := []string{"cpu", "gpu", "integrated gpu", "accelerator"}
	for i := range C.parley_device_count() {
		var d C.parley_device
		C.parley_device_get(i, &d)
		devices = append(devices, DeviceInfo{
			Name: C.GoString(d.name), Description: C.GoString(d.description),
			Kind:      kinds[min(int(d._type), len(kinds)-1)],
			FreeBytes: int64(d.free), TotalBytes: int64(d.total),
		})
	}
	return devices
}

// checkDevices refuses layers on a GPU where there is none, or none of that name.
func (o ModelOptions) checkDevices() error {
	if o.GPULayers == 0 {
		return nil
	}
	var names []string
	for _, d := range Devices() {
		if d.GPU() {
			names = append(names, d.Name)
		}
	}
	switch {
	case len(names) == 0:
		return fmt.Errorf("layers on a GPU: this build finds none; run `make build GPU=vulkan` (or cuda, metal) " +
			"where there is one, or use --gpu-layers 0")
	case o.Device != "" && !slices.Contains(names, o.Device):
		return fmt.Errorf("no GPU %q: there is %s; change --device", o.Device, strings.Join(names, ", "))
	}
	return nil
}

// layerDevices returns the devices that llama.cpp spreads layers over: the one of that name, or else all GPUs,
// integrated ones only where there are no others.
func layerDevices(name string) []DeviceInfo {
	all := Devices()
	of := func(is func(DeviceInfo) bool) []DeviceInfo {
		return slices.DeleteFunc(slices.Clone(all), func(d DeviceInfo) bool { return !is(d) })
	}
	if name != "" {
		return of(func(d DeviceInfo) bool { return d.Name == name })
	}
	if cards := of(func(d DeviceInfo) bool { return d.Kind == "gpu" }); len(cards) > 0 {
		return cards
	}
	return of(DeviceInfo.GPU)
}

// onDevices counts what open models and contexts have put on devices.
var onDevices deviceUse

// deviceUse counts the bytes on each device, by the name that models were given, "" being any devices: some Vulkan
// drivers call all of a device's memory free, however much is taken.
type deviceUse struct {
	mu    sync.Mutex
	bytes map[string]int64
}

func (u *deviceUse) add(device string, bytes int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.bytes == nil {
		u.bytes = make(map[string]int64)
	}
	u.bytes[device] += bytes
}

// on returns what may lie on a device, "" being all.
func (u *deviceUse) on(device string) (bytes int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for name, b := range u.bytes {
		if device == "" || name == "" || name == device {
			bytes += b
		}
	}
	return bytes
}

// DeviceMemory returns what is free on the device of that name, or on all that layers are spread over where there is no
// name, in bytes, or 0 if they do not say.
func DeviceMemory(name string) int64 {
	var free, total int64
	for _, d := range layerDevices(name) {
		free, total = free+d.FreeBytes, total+d.TotalBytes
	}
	if total == 0 {
		return 0
	}
	return max(1, min(free, total-onDevices.on(name)))
}

// offloaded returns the share of the model's layers on devices.
func (m *Model) offloaded() float64 {
	return ModelOptions{GPULayers: m.gpuLayers}.Offloaded(m.Layers())
}

// deviceShare returns the part of so many bytes of layers that lies on devices.
func (m *Model) deviceShare(bytes int64) int64 { return int64(m.offloaded() * float64(bytes)) }

// freeForCells returns how many bytes of cells there is room for, if that many bytes of the machine's memory are free
// for those that do not lie on devices, or 0 if it is unknown.
func (m *Model) freeForCells(host int64) int64 {
	share, device := m.offloaded(), int64(0)
	if share > 0 {
		device = DeviceMemory(m.device)
	}
	return roomForCells(share, host, device)
}

// SystemInfo returns llama.cpp's own description of the machine and the build, in one line.
func SystemInfo() string {
	initialize()
	return strings.TrimSpace(C.GoString(C.parley_system_info()))
}

// Build describes what was compiled in.
func Build() BuildInfo {
	initialize()
	b := BuildInfo{Compiler: C.GoString(C.parley_compiler()), Features: map[string]bool{},
		Llama: fmt.Sprintf("%s with ggml %s", C.GoString(C.parley_sources()), C.GoString(C.parley_ggml()))}
	buffer := make([]byte, 4096)
	C.parley_features((*C.char)(unsafe.Pointer(&buffer[0])), C.int32_t(len(buffer)))
	list, _, _ := strings.Cut(string(buffer), "\x00")
	for _, field := range strings.Fields(list) {
		name, value, _ := strings.Cut(field, "=")
		b.Features[name] = value != "0"
	}
	return b
}

// Knows reports whether this build's llama.cpp knows an architecture and can read its files. It has llama.cpp load a
// file that has nothing but the architecture's name, and looks at what it complains about.
func Knows(architecture string) (bool, error) {
	initialize()
	architectureAnswers.Lock()
	defer architectureAnswers.Unlock()
	if is, asked := architectureAnswers.answers[architecture]; asked {
		return is, nil
	}
	f, err := os.CreateTemp("", "parley-*.gguf")
	if err != nil {
		return false, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(nothingBut(architecture))
	if err := errors.Join(err, f.Close()); err != nil {
		return false, err
	}
	path := C.CString(f.Name())
	defer C.free(unsafe.Pointer(path))
	var reason [C.PARLEY_ERROR_SIZE]C.char
	loading.Lock()
	defer loading.Unlock()
	if architectureAnswers.answers == nil {
		architectureAnswers.answers = make(map[string]bool)
	}
	architectureAnswers.answers[architecture] = bool(C.parley_model_known(path, &reason[0]))
	return architectureAnswers.answers[architecture], nil
}

// architectureAnswers remembers what Knows found out. Its lock is taken before that of loading.
var architectureAnswers struct {
	sync.Mutex
	answers map[string]bool
}

// nothingBut returns a GGUF file of version 3 without tensors whose only entry is its architecture.
func nothingBut(architecture string) []byte {
	const key, text = "general.architecture", 8
	file := append([]byte("GGUF"), 3, 0, 0, 0)
	for _, n := range []int{0, 1, len(key)} { // tensors, entries, length of the key
		file = binary.LittleEndian.AppendUint64(file, uint64(n))
	}
	file = binary.LittleEndian.AppendUint32(append(file, key...), text)
	file = binary.LittleEndian.AppendUint64(file, uint64(len(architecture)))
	return append(append(file, architecture...), make([]byte, 64)...)
}

// Quantize writes a copy of an F16 or F32 model in another type (see QuantizationTypes), with llama.cpp's quantiser.
// The target appears under its name only when it is complete. A cancelled ctx is noticed before and after the work.
func Quantize(ctx context.Context, from, to, quantization string, threads int) error {
	initialize()
	if err := CheckQuantization(quantization); err != nil {
		return err
	}
	if _, err := models.Inspect(from); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	beside, err := os.MkdirTemp(filepath.Dir(to), ".parley-*")
	if err != nil {
		return fmt.Errorf("quantise %q: %w", from, err)
	}
	defer os.RemoveAll(beside)
	partial := filepath.Join(beside, filepath.Base(to))
	cfrom, cto := C.CString(from), C.CString(partial)
	defer C.free(unsafe.Pointer(cfrom))
	defer C.free(unsafe.Pointer(cto))
	var reason [C.PARLEY_ERROR_SIZE]C.char
	loading.Lock()
	number := C.int32_t(models.Quantizations()[strings.ToLower(quantization)])
	code := C.parley_quantize(cfrom, cto, number, C.int32_t(threads), &reason[0])
	loading.Unlock()
	if code != C.PARLEY_OK {
		return fmt.Errorf("quantise %q to %s: %s", from, quantization, C.GoString(&reason[0]))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return os.Rename(partial, to)
}
