package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// comment is a block, or lines one below the other; a notice one that somebody's rights are claimed or given up in.
var (
	comment = regexp.MustCompile(`(?s)/\*.*?\*/|(?:(?m:^[ \t]*//[^\n]*)\n?)+`)
	notice  = regexp.MustCompile(`(?i)copyright|SPDX-License|public domain`)
)

// compiled are the parts of which something is linked into a program, whatever the processor.
var compiled = []string{"src", "vendor/hash", "ggml/src"}

// licences returns the texts that go with a program: llama.cpp's licence, those of what it brings along, and the
// notices in the files that are compiled. Backends for devices count if they are built.
func licences(dir, gpu string) ([]byte, error) {
	all, err := os.ReadFile(filepath.Join(dir, "LICENSE"))
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	for _, part := range compiled {
		err := filepath.WalkDir(filepath.Join(dir, part), func(name string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) { // older versions have no vendor/hash
				return nil
			}
			if err != nil {
				return err
			}
			if entry.IsDir() {
				backend := strings.TrimPrefix(entry.Name(), "ggml-")
				if backend != entry.Name() && backend != "cpu" && backend != gpu {
					return fs.SkipDir
				}
				return nil
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			below, err := filepath.Rel(dir, name)
			add := func(notice []byte) {
				if text := strings.TrimSpace(string(notice)); !seen[text] {
					seen[text] = true
					all = append(all, "\n"+below+":\n"+text+"\n"...)
				}
			}
			if strings.HasPrefix(entry.Name(), "LICENSE") {
				add(text)
				return err
			}
			for _, c := range comment.FindAll(text, -1) {
				if notice.Match(c) {
					add(bytes.TrimSpace(c))
				}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
