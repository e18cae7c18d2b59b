//go:build !windows

package platform

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/google/renameio/v2"
)

// Errors of OpenOwn and Lock.
var (
	ErrLink   error = syscall.ELOOP
	ErrLocked error = syscall.EWOULDBLOCK
)

// Pending is a file that has no name yet; see Replace.
type Pending = renameio.PendingFile

func newPending(path, directory string) (*Pending, error) {
	return renameio.NewPendingFile(path, renameio.WithTempDir(directory), renameio.WithPermissions(0o644))
}

func writeFile(path string, content []byte, permissions os.FileMode) error {
	return renameio.WriteFile(path, content, permissions)
}

func openOwn(path string, flags int, permissions os.FileMode) (*os.File, error) {
	return os.OpenFile(path, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, permissions)
}

func openStream(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) {
		return nil, fmt.Errorf("%s is a pipe that nobody reads: remove it, or name another file", path)
	}
	return file, err
}

func move(file *os.File, path string) error {
	return errors.Join(os.Rename(file.Name(), path), file.Close())
}

func remove(file *os.File) error { return errors.Join(os.Remove(file.Name()), file.Close()) }

func links(file *os.File) uint64 {
	if info, err := file.Stat(); err == nil {
		if status, known := info.Sys().(*syscall.Stat_t); known {
			return uint64(status.Nlink)
		}
	}
	return 1
}

func interruptible(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGINT) }
}

func lock(file *os.File, alone bool) error {
	how := syscall.LOCK_SH
	if alone {
		how = syscall.LOCK_EX
	}
	return syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
}

func freeSpace(directory string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(directory, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}

func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

func writable(directory string) error {
	const mayWrite = 2
	return syscall.Access(directory, mayWrite)
}

func processorTime() time.Duration {
	var use syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &use) != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

func returnWriteErrors() { signal.Ignore(syscall.SIGXFSZ, syscall.SIGPIPE) }
