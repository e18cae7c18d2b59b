//go:build windows

package platform

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"
)

// Errors of OpenOwn and Lock.
var (
	ErrLink         = errors.New("is a link")
	ErrLocked error = windows.ERROR_LOCK_VIOLATION
)

// Pending is a file that has no name yet; see Replace. It is beside the path that it is for.
type Pending struct {
	*os.File
	path         string
	closed, done bool
}

func newPending(path, _ string) (*Pending, error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path))
	return &Pending{File: file, path: path}, err
}

// CloseAtomicallyReplace gives the file its name.
func (p *Pending) CloseAtomicallyReplace() error {
	if err := p.Sync(); err != nil {
		return err
	}
	p.closed = true
	if err := p.Close(); err != nil {
		return err
	}
	if err := os.Rename(p.Name(), p.path); err != nil {
		return err
	}
	p.done = true
	return nil
}

// Cleanup removes the file if it did not get its name.
func (p *Pending) Cleanup() (err error) {
	if p.done {
		return nil
	}
	if !p.closed {
		err = p.Close()
	}
	p.closed, p.done = true, true
	return errors.Join(err, os.Remove(p.Name()))
}

// writeFile leaves permissions, which Windows has not, as they are.
func writeFile(path string, content []byte, _ os.FileMode) error {
	file, err := newPending(path, "")
	if err != nil {
		return err
	}
	defer file.Cleanup()
	if _, err := file.Write(content); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}

// openOwn opens a link itself, which is then refused.
func openOwn(path string, flags int, permissions os.FileMode) (*os.File, error) {
	file, err := os.OpenFile(path, flags|windows.FILE_FLAG_OPEN_REPARSE_POINT, permissions)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return nil, errors.Join(&os.PathError{Op: "open", Path: path, Err: ErrLink}, file.Close())
	}
	return file, nil
}

func openStream(path string) (*os.File, error) { return os.OpenFile(path, os.O_WRONLY, 0) }

func move(file *os.File, path string) error {
	return errors.Join(file.Close(), os.Rename(file.Name(), path))
}

func remove(file *os.File) error { return errors.Join(file.Close(), os.Remove(file.Name())) }

func links(file *os.File) uint64 {
	var info windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(windows.Handle(file.Fd()), &info) != nil {
		return 1
	}
	return uint64(info.NumberOfLinks)
}

// lock locks one byte far behind the end of any file, since Windows lets nobody else read the bytes that are locked.
func interruptible(*exec.Cmd) {}

func lock(file *os.File, alone bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if alone {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	return windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
}

func freeSpace(directory string) (int64, error) {
	name, err := windows.UTF16PtrFromString(directory)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return int64(min(free, 1<<62)), err
}

func diskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

func writable(directory string) error {
	file, err := os.CreateTemp(directory, ".parley")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

func processorTime() time.Duration {
	var created, exited, inSystem, outside windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &inSystem, &outside) != nil {
		return 0
	}
	return duration(inSystem) + duration(outside)
}

// duration returns a length of time; Filetime.Nanoseconds takes a point in time.
func duration(f windows.Filetime) time.Duration {
	const unit = 100 * time.Nanosecond
	return time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * unit
}

// Windows sends no such signals.
func returnWriteErrors() {}
