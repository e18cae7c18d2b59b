package rundir

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/parley-debate/parley/internal/platform"
)

// lockFile is the file by which processes tell each other that a run directory is in use.
const lockFile = "parley.lock"

// A reader of the status takes a shared lock for a moment to find out whether somebody has the exclusive one. A run
// that begins in that moment tries again.
const (
	lockAttempts = 10
	lockPause    = 10 * time.Millisecond
)

// takeLock locks a directory for this process and writes into the file who that is, and whether it resumes a run. The
// lock lasts as long as the file is open; the system frees it when the process ends, in whatever way. A link is
// refused, and so is a file with several hard links, since writing would change a file elsewhere.
func takeLock(directory string, resumes bool) (*os.File, error) {
	file, err := platform.OpenOwn(filepath.Join(directory, lockFile), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := ownFile(file); err != nil {
		file.Close()
		return nil, err
	}
	if err := flock(file); err != nil {
		who, _ := io.ReadAll(io.LimitReader(file, 200))
		file.Close()
		if errors.Is(err, platform.ErrLocked) {
			return nil, fmt.Errorf("is in use by %s; wait for it, or name another directory",
				strings.TrimSpace(string(who)))
		}
		return nil, err
	}
	host, _ := os.Hostname()
	who := fmt.Sprintf(holderFormat, os.Getpid(), host)
	if resumes {
		who += resumesText
	}
	if err = ownText(file); err == nil {
		err = file.Truncate(0)
	}
	if err == nil {
		_, err = file.WriteString(who + "\n")
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// flock takes the exclusive lock of a file, or returns platform.ErrLocked if another process keeps it.
func flock(file *os.File) (err error) {
	for attempt := range lockAttempts {
		if attempt > 0 {
			time.Sleep(lockPause)
		}
		err = platform.Lock(file)
		if !errors.Is(err, platform.ErrLocked) {
			break
		}
	}
	return err
}

// ownFile refuses a file that is not regular or has several hard links.
func ownFile(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || platform.Links(file) > 1 {
		return notLock(file)
	}
	return nil
}

// The holder of a lock writes into its file which process it is, on which host, and that it resumes a run if it does:
// the time in the header, in whole seconds, does not tell two sessions apart that begin within one.
const (
	holderFormat = "process %d on %s"
	resumesText  = ", which resumes the run"
)

// ownText refuses a file that says something else than who has locked it.
func ownText(file *os.File) error {
	start := make([]byte, len("process"))
	n, err := file.ReadAt(start, 0)
	if n > 0 && !strings.HasPrefix(holderFormat, string(start[:n])) {
		return notLock(file)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}

// notLock is the error for a file of the lock's name with other content, which must not be overwritten.
func notLock(file *os.File) error {
	return fmt.Errorf("%s is not the lock of a run, but something else of that name; remove it, or name another "+
		"directory", file.Name())
}

// lockHolder returns the process that has a directory's lock, "" if none has, and whether it resumes a run. To find
// out, it takes the lock for a moment, shared with others who ask; a run that begins in that moment waits for it (see
// flock).
func lockHolder(directory string) (process string, resumes bool, err error) {
	file, err := platform.OpenOwn(filepath.Join(directory, lockFile), os.O_RDONLY, 0)
	// A copied directory may lack the lock file, and a link is not one of ours.
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, platform.ErrLink) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	defer file.Close()
	if err := platform.LockShared(file); err == nil {
		return "", false, nil
	} else if !errors.Is(err, platform.ErrLocked) {
		return "", false, err
	}
	who, err := io.ReadAll(io.LimitReader(file, 200))
	process, resumes = strings.CutSuffix(strings.TrimSpace(string(who)), resumesText)
	return cmp.Or(process, "a process that does not say which"), resumes, err
}
