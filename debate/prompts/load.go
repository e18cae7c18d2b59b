package prompts

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/parley-debate/parley/strictyaml"
	"github.com/parley-debate/parley/unknown"
)

// loaded are the sets in the program that somebody has asked for, by their file. Every debate that is composed loads
// its set, and nobody writes into one.
var loaded sync.Map

// load returns a set from a folder in the program, or reads one from a path that ends in .yaml or .yml. what tells in
// errors what the wording is for.
func load[T any](files embed.FS, folder, name, what string, parse func(text []byte) (T, error)) (set T, err error) {
	file := path.Join(folder, name+".yaml")
	known, _ := loaded.Load(file)
	if set, ok := known.(T); ok { // not where a folder that is written in the name leads to a set of another kind
		return set, nil
	}
	text, err := files.ReadFile(file)
	embedded := err == nil
	if !embedded {
		if !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml") {
			return set, unknown.Name("prompts for "+what, name, namesIn(files, folder), "or name a .yaml file")
		}
		if text, err = strictyaml.ReadFile(name); err != nil {
			return set, fmt.Errorf("prompts: %w", err)
		}
	}
	if set, err = parse(text); err != nil {
		return set, fmt.Errorf("prompts %q: %w", name, err)
	}
	if embedded {
		loaded.Store(file, set)
	}
	return set, nil
}

// namesIn returns the names of the sets in a folder of the program.
func namesIn(files embed.FS, folder string) (names []string) {
	entries, err := files.ReadDir(folder)
	if err != nil {
		panic(err) // embedded
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}
