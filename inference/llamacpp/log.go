//go:build cgo && (llama_carrier || llama_system) && !llama_none

package llamacpp

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/cgo"
	"strings"
	"sync"
	"unsafe"
)

// initialize sets llama.cpp up once. It must run after the init functions of the carrier, which install a log callback
// of their own.
var initialize = sync.OnceFunc(func() {
	C.parley_init()
	for _, path := range backendLibraries() {
		name := C.CString(path)
		defer C.free(unsafe.Pointer(name))
		var reason [C.PARLEY_ERROR_SIZE]C.char
		if !C.parley_load_backend(name, &reason[0]) {
			slog.Warn("a GPU cannot be used: "+C.GoString(&reason[0]), "library", path)
		}
	}
})

// backendLibraries are the paths of the libraries that `make cuda` and `make vulkan` build beside the program, in the
// order in which llama.cpp prefers their devices: of a card that several know, it takes the first. GGML_BACKEND_PATH
// names another instead, as in llama.cpp. An installed llama.cpp finds its backends by itself.
func backendLibraries() (paths []string) {
	if carrierModule == "" {
		return nil
	}
	if path := os.Getenv("GGML_BACKEND_PATH"); path != "" {
		return []string{path}
	}
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	for _, name := range []string{"cuda", "vulkan"} {
		path := filepath.Join(filepath.Dir(program), name, "libggml-"+name+".so")
		if _, err := os.Stat(path); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// logLine joins the pieces of a line, which llama.cpp logs one by one.
var logLine struct {
	sync.Mutex
	text strings.Builder
}

// parleyLog receives llama.cpp's log and passes it to slog at debug level: what a user must know is in errors.
//
//export parleyLog
func parleyLog(_ C.int, text *C.char) {
	if !slog.Default().Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	logLine.Lock()
	defer logLine.Unlock()
	logLine.text.WriteString(C.GoString(text))
	for {
		line, rest, whole := strings.Cut(logLine.text.String(), "\n")
		if !whole {
			return
		}
		logLine.text.Reset()
		logLine.text.WriteString(rest)
		if line = strings.TrimSpace(line); line != "" && line != "." {
			slog.Debug(line, "from", "llama.cpp")
		}
	}
}

// parleyProgress calls ModelOptions.Progress, whose handle LoadModel passed to C.
//
//export parleyProgress
func parleyProgress(fraction C.float, handle C.uintptr_t) C.bool {
	return C.bool(cgo.Handle(handle).Value().(func(float32) bool)(float32(fraction)))
}
