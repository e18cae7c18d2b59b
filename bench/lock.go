package bench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// lock takes a file for this process, for as long as it is open. The system frees it when the process ends, however it ends.
func lock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		who, _ := io.ReadAll(io.LimitReader(file, 200))
		file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("is in use by %s; wait for it, or name another directory with --out", strings.TrimSpace(string(who)))
		}
		return nil, err
	}
	host, _ := os.Hostname()
	err = file.Truncate(0)
	if err == nil {
		_, err = fmt.Fprintf(file, "process %d on %s\n", os.Getpid(), host)
	}
	return file, err
}
