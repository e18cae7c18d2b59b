package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// turnFile is locked by the build that writes into the cache. The system frees the lock when its process ends.
const turnFile = "building.lock"

// errLocked says that another build has the lock.
var errLocked = errors.New("locked by another build")

// turnPause is the time between two attempts to get the lock.
const turnPause = 200 * time.Millisecond

// takeTurn waits until no other build writes into the cache, and keeps others out until free is called. Where files
// cannot be locked, as on some file systems of clusters, it says so and the build goes on.
func takeTurn(ctx context.Context, cache string, stderr io.Writer) (free func(), err error) {
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(cache, turnFile), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	free = func() { file.Close() }
	for waits := false; ; {
		err := tryLock(file)
		if err == nil {
			return free, nil
		}
		if !errors.Is(err, errLocked) {
			fmt.Fprintf(stderr, "llama.cpp: %s cannot be locked (%v): run no other build until this one ends\n",
				file.Name(), err)
			return free, nil
		}
		if !waits {
			fmt.Fprintf(stderr, "llama.cpp: waiting for another build, which has locked %s\n", file.Name())
			waits = true
		}
		select {
		case <-ctx.Done():
			free()
			return nil, ctx.Err()
		case <-time.After(turnPause):
		}
	}
}
