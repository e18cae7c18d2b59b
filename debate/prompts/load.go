package prompts

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/strictyaml"
	"github.com/parley-debate/parley/internal/unknown"
)

// loaded are the sets in the program that somebody has asked for, by folder and name. Every debate that is composed
// loads its set, and nobody writes into one.
var loaded sync.Map

// load returns a set from a folder in the program, or reads one from a path that ends in .yaml or .yml, either with a
// kind of answers behind it if parse knows kinds. what tells in errors what the wording is for.
func load[T any](files embed.FS, folder, whole, what string,
	parse func(text []byte, kind answer.Kind) (T, error)) (set T, err error) {
	known, _ := loaded.Load(path.Join(folder, whole))
	if set, ok := known.(T); ok { // not where a folder that is written in the name leads to a set of another kind
		return set, nil
	}
	name, kind := ofKind(whole)
	file := path.Join(folder, name+".yaml")
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
	if set, err = parse(text, kind); err != nil {
		return set, fmt.Errorf("prompts %q: %w", whole, err)
	}
	if embedded {
		loaded.Store(path.Join(folder, whole), set)
	} else if s, ok := any(&set).(interface{ readFrom(file []byte) }); ok {
		s.readFrom(text)
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
