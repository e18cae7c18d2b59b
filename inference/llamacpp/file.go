package llamacpp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// checkFile says in plain words what is wrong with a file that cannot be a model, before llama.cpp sees it.
func checkFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("model %q: no such file; name a .gguf file", path)
	case err != nil:
		return fmt.Errorf("model %q: %w", path, err)
	case info.IsDir():
		return fmt.Errorf("model %q: is a directory; name a .gguf file in it", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("model %q: is no regular file; name a .gguf file", path)
	case info.Size() == 0:
		return fmt.Errorf("model %q: is empty; copy or download it again", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("model %q: %w", path, err)
	}
	defer f.Close()
	head := make([]byte, 8)
	n, err := io.ReadFull(f, head)
	if magic := string(head[:min(n, 4)]); magic != "GGUF" {
		return fmt.Errorf("model %q: not a GGUF file: it begins with %q; name a .gguf file", path, string(head[:n]))
	}
	if err != nil {
		return fmt.Errorf("model %q: cut off after %d bytes; copy or download it again", path, info.Size())
	}
	if v := binary.LittleEndian.Uint32(head[4:]); v < 2 || v > 3 {
		return fmt.Errorf("model %q: GGUF version %d; versions 2 and 3 can be read: convert the model anew", path, v)
	}
	return nil
}

// availableMemory is how much memory can be used without swapping, in bytes; 0 where the system does not tell.
func availableMemory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == "MemAvailable:" {
			kib, _ := strconv.ParseInt(fields[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}

// PhysicalCores is the number of cores that this process may use, two hardware threads of one core counting once: matrix
// products gain nothing from the second.
func PhysicalCores() int {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.NumCPU()
	}
	cores := map[string]bool{}
	var socket string
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(name) {
		case "physical id":
			socket = value
		case "core id":
			cores[socket+value] = true
		}
	}
	if len(cores) == 0 {
		return runtime.NumCPU()
	}
	return max(1, min(len(cores), runtime.NumCPU()))
}
