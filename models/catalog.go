package models

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Dirs are the directories in which models are looked for by name: those of $PARLEY_MODELS, the current one, and the
// user's cache.
func Dirs() []string {
	dirs := filepath.SplitList(os.Getenv("PARLEY_MODELS"))
	dirs = append(dirs, ".")
	if cache, err := os.UserCacheDir(); err == nil {
		dirs = append(dirs, filepath.Join(cache, "parley", "models"))
	}
	return dirs
}

// List describes the embedded model and all GGUF files in dirs, by directory and name. Files that cannot be read are
// errors beside the list.
func List(dirs ...string) (list []Info, errs []error) {
	if path, err := Embedded(""); err != nil {
		errs = append(errs, err)
	} else if info, err := Inspect(path); err != nil {
		errs = append(errs, err)
	} else {
		list = append(list, info)
	}
	for _, path := range files(dirs) {
		info, err := Inspect(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, info)
	}
	return list, errs
}

// files are the GGUF files in dirs; a directory that is not there has none.
func files(dirs []string) (paths []string) {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries { // sorted by name
			if path := filepath.Join(dir, e.Name()); !e.IsDir() && strings.EqualFold(filepath.Ext(path), ".gguf") && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// Resolve finds what a user names: the embedded model ("" or "tiny"), a path, or a file in Dirs, with or without .gguf.
func Resolve(name string) (path string, err error) {
	if isEmbeddedName(name) {
		return Embedded("")
	}
	if _, err := os.Stat(name); err == nil || !errors.Is(err, os.ErrNotExist) || strings.ContainsRune(name, filepath.Separator) {
		return name, nil // Inspect says what is wrong with it, if anything is
	}
	known := []string{EmbeddedName}
	for _, path := range files(Dirs()) {
		base := filepath.Base(path)
		if base == name || strings.TrimSuffix(base, filepath.Ext(base)) == name {
			return path, nil
		}
		known = append(known, strings.TrimSuffix(base, filepath.Ext(base)))
	}
	return "", fmt.Errorf("model %q: no such file, and none of that name in %s; there are %s", name, strings.Join(Dirs(), ", "), strings.Join(known, ", "))
}
