package rundir

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// lockFile is the name of the file by which processes tell each other that a run directory is in use.
const lockFile = "parley.lock"

// lock takes a file for this process, for as long as it is open. The system frees it when the process ends, however it
// ends. A link of that name, or a file that has another name too, is nobody's lock, and is left as it is.
func lock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o644)
	if err != nil {
		return nil, err
	}
	if err := ownFile(file); err != nil {
		file.Close()
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		who, _ := io.ReadAll(io.LimitReader(file, 200))
		file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("is in use by %s; wait for it, or name another directory with --out",
				strings.TrimSpace(string(who)))
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

// ownFile refuses what is no file, or one with other names, under which it would be changed too.
func ownFile(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	status, known := info.Sys().(*syscall.Stat_t)
	if !info.Mode().IsRegular() || known && status.Nlink > 1 {
		return fmt.Errorf("%s is not the lock of a run, but something else of that name; remove it, or name another "+
			"directory with --out", file.Name())
	}
	return nil
}
