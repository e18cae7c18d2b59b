// Command llama has the llama.cpp that the program is linked with: the sources that third_party/llama.lock names,
// compiled once into the user's cache as static libraries. It prints the directory with the headers, the libraries and
// flags.mk, which the Makefile includes.
//
//	go -C tools run ./llama [-source FILE|DIR] [-arch FLAGS] [-gpu cuda|vulkan|metal] [-cmake ARGS]
//
// Sources come in a crate, by cargo, or else in the archive of the release, and are those of the lock or refused.
// Sources by hand may be others: that is said, and the program tells it. `-lock` prints a lock for the sources instead,
// and `-architectures` the families of models that they know.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "llama.cpp: %v\n", err)
		os.Exit(1)
	}
}

// options say what is built, and of what.
type options struct {
	source string // a directory or an archive by hand; "" takes those of the lock
	arch   string // flags that name the oldest processor
	gpu    string // a backend besides the processor's: cuda, vulkan, metal
	cmake  string // further arguments, separated by spaces
	target string // the platform, such as linux/arm64; each part "" for that of this machine
}

// sources returns those by hand or of the lock.
func (o options) sources(ctx context.Context, l lock, cache string, stderr io.Writer) (sources, error) {
	if o.source != "" {
		return byHand(o.source, cache)
	}
	return findSources(ctx, l, cache, stderr)
}

func run(ctx context.Context, arguments []string, stdout, stderr io.Writer) error {
	var o options
	flags := flag.NewFlagSet("llama", flag.ContinueOnError)
	flags.SetOutput(stderr)
	lockFile := flags.String("lockfile", "../third_party/llama.lock", "what is pinned")
	flags.StringVar(&o.source, "source", "", "sources by hand: a directory or an archive")
	flags.StringVar(&o.arch, "arch", "-march=native", "the compiler's flags for the processor")
	flags.StringVar(&o.gpu, "gpu", "", "a backend for GPUs: cuda, vulkan or metal")
	flags.StringVar(&o.cmake, "cmake", "", "further arguments for CMake")
	flags.StringVar(&o.target, "target", "/", "the platform, as GOOS/GOARCH")
	listed := flags.Bool("architectures", false, "print the architectures that the sources know, and build nothing")
	newLock := flags.Bool("lock", false, "print the version and the hash of the sources, and build nothing")
	if err := flags.Parse(arguments); err != nil || flags.NArg() > 0 {
		return errors.Join(err, fmt.Errorf("arguments: %q", flags.Args()))
	}
	l, err := readLock(*lockFile)
	if err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	cache = filepath.Join(cache, "parley", "llama")
	if *newLock || *listed {
		s, err := o.sources(ctx, l, cache, stderr)
		if err != nil {
			return err
		}
		defer s.remove()
		text := fmt.Sprintf("version %s\ntree %s\n", s.version, s.tree)
		if *listed {
			text, err = s.architectures()
		}
		return errors.Join(err, writeText(stdout, text))
	}
	prefix, err := prefix(ctx, l, o, cache, stderr)
	if err != nil {
		return err
	}
	return writeText(stdout, prefix+"\n")
}

func writeText(stdout io.Writer, text string) error {
	_, err := io.WriteString(stdout, text)
	return err
}
