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
	path := backendLibrary()
	if path == "" {
		return
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var reason [C.PARLEY_ERROR_SIZE]C.char
	if !C.parley_load_backend(name, &reason[0]) {
		slog.Warn("a GPU cannot be used: "+C.GoString(&reason[0]), "library", path)
	}
})

// backendLibrary is the path of the library that `make cuda` builds beside the program, "" if there is none.
// GGML_BACKEND_PATH names another, as in llama.cpp. An installed llama.cpp finds its backends by itself.
func backendLibrary() string {
	if carrierModule == "" {
		return ""
	}
	if path := os.Getenv("GGML_BACKEND_PATH"); path != "" {
		return path
	}
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	path := filepath.Join(filepath.Dir(program), "cuda", "libggml-cuda.so")
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
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
