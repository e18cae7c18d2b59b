//go:build cgo && (llama_carrier || llama_system) && !llama_none

package llamacpp

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"unsafe"

	"github.com/parley-debate/parley/models"
)

// MeasureSpeed measures the peak rates of the machine with some number of threads. It takes about a second.
func MeasureSpeed(threads int) Speed {
	s := C.parley_measure(C.int32_t(threads))
	return Speed{Bytes: float64(s.bytes), FloatProducts: float64(s.float_products),
		ByteProducts: float64(s.byte_products)}
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

// SystemInfo is llama.cpp's own description of the machine and the build, in one line.
func SystemInfo() string {
	initialize()
	return strings.TrimSpace(C.GoString(C.parley_system_info()))
}

// Build describes what was compiled in.
func Build() BuildInfo {
	initialize()
	b := BuildInfo{Carrier: "system library", Compiler: C.GoString(C.parley_compiler()), Features: map[string]bool{}}
	if info, ok := debug.ReadBuildInfo(); ok && carrierModule != "" {
		b.Carrier = carrierModule
		for _, m := range info.Deps {
			if m.Path == carrierModule {
				b.Carrier += " " + m.Version
			}
		}
	}
	buffer := make([]byte, 4096)
	C.parley_features((*C.char)(unsafe.Pointer(&buffer[0])), C.int32_t(len(buffer)))
	list, _, _ := strings.Cut(string(buffer), "\x00")
	for _, field := range strings.Fields(list) {
		name, value, _ := strings.Cut(field, "=")
		b.Features[name] = value != "0"
	}
	return b
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
	partial := to + ".partial"
	defer os.Remove(partial)
	cfrom, cto := C.CString(from), C.CString(partial)
	defer C.free(unsafe.Pointer(cfrom))
	defer C.free(unsafe.Pointer(cto))
	var reason [C.PARLEY_ERROR_SIZE]C.char
	loading.Lock()
	code := C.parley_quantize(cfrom, cto, C.int32_t(fileTypes[strings.ToLower(quantization)]), C.int32_t(threads),
		&reason[0])
	loading.Unlock()
	if code != C.PARLEY_OK {
		return fmt.Errorf("quantise %q to %s: %s", from, quantization, C.GoString(&reason[0]))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return os.Rename(partial, to)
}
