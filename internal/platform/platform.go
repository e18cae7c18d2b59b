// Package platform is what differs between operating systems: how files are replaced, opened, moved and locked, how
// much room a disk has, how much time a process took. Each function is there for Windows and for the others (unix.go);
// where Windows does or tells less, the comment says so. It holds no state.
package platform

import (
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Replace begins a file that gets its name and all that is in it at once, by CloseAtomicallyReplace. Cleanup, which
// callers defer, removes it if that did not happen. Others may read it, if the umask allows it. Until it has its name
// it is among the temporary files if it can be moved from there, or beside its path, where it always is if beside is
// set. On Windows it takes the place of another file only while nobody has that open, and a loss of power can lose
// both.
func Replace(path string, beside bool) (*Pending, error) {
	if beside {
		return newPending(path, filepath.Dir(path))
	}
	return newPending(path, "")
}

// WriteFile writes a file in the way of Replace. It keeps the permissions of a file that is there.
func WriteFile(path string, content []byte, permissions os.FileMode) error {
	return writeFile(path, content, permissions)
}

// OpenOwn opens a file that only this program writes: it returns ErrLink instead of following a link, and waits for
// nobody at the other end of a pipe.
func OpenOwn(path string, flags int, permissions os.FileMode) (*os.File, error) {
	return openOwn(path, flags, permissions)
}

// OpenStream opens a pipe or a device that is there for writing. It returns an error where nobody reads a pipe, instead
// of waiting for somebody.
func OpenStream(path string) (*os.File, error) { return openStream(path) }

// Move gives a file another path, at which it replaces what is there, and closes it: on Windows before, where open
// files stay.
func Move(file *os.File, path string) error { return move(file, path) }

// Remove removes a file and closes it, on Windows before.
func Remove(file *os.File) error { return remove(file) }

// Links returns the number of hard links of a file, 1 where the system does not tell, and 0 after it was removed.
func Links(file *os.File) uint64 { return links(file) }

// Lock takes the lock of a file for this process and nobody else, or returns ErrLocked. The lock lasts until the file
// is closed, which the system does when the process ends. It binds only those who ask for it.
func Lock(file *os.File) error { return lock(file, true) }

// LockShared is Lock beside others who have it shared; nobody has it alone then.
func LockShared(file *os.File) error { return lock(file, false) }

// Interruptible has the end of a command's context interrupt it and the programs that it has started, instead of
// killing it alone. On Windows it is killed.
func Interruptible(c *exec.Cmd) { interruptible(c) }

// FreeSpace returns how many bytes this process may write to the disk of a directory that exists.
func FreeSpace(directory string) (int64, error) { return freeSpace(directory) }

// DiskFull reports whether an error says that a disk, or this user's share of it, is full, or that a file has the size
// that this process may give it.
func DiskFull(err error) bool { return diskFull(err) }

// Writable returns an error if this process may not write into a directory. On Windows it makes a file there and
// removes it.
func Writable(directory string) error { return writable(directory) }

// ProcessorTime returns the time that processors have spent on this process so far, in the system and outside of it; 0
// where the system does not tell.
func ProcessorTime() time.Duration { return processorTime() }

// ReturnWriteErrors has writes that exceed the size of files, and writes to a closed pipe, return an error where a
// signal would otherwise end the process.
func ReturnWriteErrors() { returnWriteErrors() }
