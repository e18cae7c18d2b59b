//go:build cgo && !llama_none

package llamacpp

// #include "shim.h"
import "C"

import (
	"context"
	"log/slog"
	"runtime/cgo"
	"strings"
	"sync"
)

// initialize sets llama.cpp up once.
var initialize = sync.OnceFunc(func() { C.parley_init() })

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
