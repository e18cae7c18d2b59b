//go:build unix && !solaris && !aix

package main

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks a file, or returns errLocked if it is locked.
func tryLock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
