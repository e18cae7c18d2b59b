package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// mostArchive bounds what is downloaded, in bytes: version 0.8.0 has 8 MB.
const mostArchive = 256 << 20

// mostTime bounds each attempt to have the sources.
const mostTime = 10 * time.Minute

// place is one of those that have the sources of the lock.
type place struct {
	name  string
	bring func(ctx context.Context, cache string) (sources, error)
}

// places are those of the lock, in the order in which they are tried.
func (l lock) places() (all []place) {
	if l.crate.name != "" {
		all = append(all, place{"crate " + l.crate.name + " " + l.crate.version, l.crate.bring})
	}
	if l.archive != "" {
		all = append(all, place{l.archive, func(ctx context.Context, cache string) (sources, error) {
			return fromArchive(ctx, l.archive, cache)
		}})
	}
	return all
}

// findSources returns the sources of the first place that has those of the lock. Others are never built.
func findSources(ctx context.Context, l lock, cache string, stderr io.Writer) (sources, error) {
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return sources{}, err
	}
	var failed strings.Builder
	for _, p := range l.places() {
		fmt.Fprintf(stderr, "llama.cpp %s: %s\n", l.version, p.name)
		within, cancel := context.WithTimeout(ctx, mostTime)
		s, err := p.bring(within, cache)
		cancel()
		if err == nil && s.tree == l.tree {
			return s, nil
		}
		if err == nil {
			s.remove()
			err = fmt.Errorf("the tree of its files is %s, and the lock says %s", s.tree, l.tree)
		}
		if ctx.Err() != nil {
			return sources{}, ctx.Err()
		}
		fmt.Fprintf(&failed, "  %s: %v\n", p.name, err)
	}
	return sources{}, fmt.Errorf("the sources of version %s could not be had: %s\n%s", l.version, l.remedy(),
		failed.String())
}

// remedy says what to do where no place has the sources.
func (l lock) remedy() string {
	byHand := "hand over an archive or a directory with them: make build SOURCE=FILE"
	if l.archive != "" {
		byHand = "hand over their archive, the file " + l.archive + ": make build SOURCE=FILE"
	}
	if l.crate.name == "" {
		return byHand
	}
	return fmt.Sprintf("install cargo %s or newer, which brings them in the crate %s, or %s", oldestCargo, l.crate.name,
		byHand)
}

// oldestCargo is the first version that reads the crates that ours depends on (edition 2024).
const oldestCargo = "1.85"

// bring has cargo lay out the crate in a project that is removed afterwards. Where crates come from is known to cargo
// and its settings; it compiles nothing, and runs nothing of the crate. CARGO names another program.
func (c crate) bring(ctx context.Context, cache string) (s sources, err error) {
	program, err := exec.LookPath(cmp.Or(os.Getenv("CARGO"), "cargo"))
	if err != nil {
		return s, fmt.Errorf("cargo is not installed: %w", err)
	}
	dir, err := os.MkdirTemp(cache, "source-")
	if err != nil {
		return s, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	manifest := fmt.Sprintf("[workspace]\n[package]\nname = \"sources\"\nversion = \"0.0.0\"\nedition = \"2021\"\n"+
		"[lib]\npath = \"Cargo.toml\"\n[dependencies]\n%s = \"=%s\"\n", c.name, c.version)
	if err := os.WriteFile(filepath.Join(dir, "Cargo.toml"), []byte(manifest), 0o666); err != nil {
		return s, err
	}
	// Without the option it would pass over mirrors of the user's settings.
	command := exec.CommandContext(ctx, program, "vendor", "--quiet", "--respect-source-config", "vendor")
	command.Dir = dir
	if said, err := command.CombinedOutput(); err != nil {
		return s, fmt.Errorf("cargo: %w\n%s", err, tail(said, 10))
	}
	return examine(filepath.Join(dir, "vendor", c.name), dir)
}

// fromArchive downloads and unpacks an archive.
func fromArchive(ctx context.Context, url, cache string) (sources, error) {
	f, err := os.CreateTemp(cache, "download-*.tar.gz")
	if err != nil {
		return sources{}, err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(download(ctx, url, f), f.Close()); err != nil {
		return sources{}, err
	}
	return unpack(f.Name(), cache)
}

// download writes what is at the address into a file. Proxies are those of the environment.
func download(ctx context.Context, url string, to io.Writer) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return errors.New(reply.Status)
	}
	n, err := io.Copy(to, io.LimitReader(reply.Body, mostArchive+1))
	if err == nil && n > mostArchive {
		err = fmt.Errorf("more than %d bytes", mostArchive)
	}
	return err
}
