package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
)

// lock is what third_party/llama.lock says: one version of llama.cpp, and what has its sources.
type lock struct {
	version string // as its CMakeLists.txt has it: 0.8.0
	tree    string // the SHA-256 of its files (treeHash), whatever they were packed in
	crate   crate
	archive string // the address of the release's archive; "" for none
}

// crate is a Rust package with the sources; the zero value is none.
type crate struct{ name, version string }

// readLock reads lines of a name and its values. A # begins a comment.
func readLock(path string) (l lock, err error) {
	f, err := os.Open(path)
	if err != nil {
		return l, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		switch {
		case len(words) == 0:
		case len(words) == 2 && words[0] == "version":
			l.version = words[1]
		case len(words) == 2 && words[0] == "tree" && isSHA256(words[1]):
			l.tree = words[1]
		case len(words) == 2 && words[0] == "archive":
			l.archive = words[1]
		case len(words) == 3 && words[0] == "crate":
			l.crate = crate{words[1], words[2]}
		default:
			return l, fmt.Errorf("%s:%d: %q is no version, tree (SHA-256), crate (name, version) or archive (URL)",
				path, n, text)
		}
	}
	if err := lines.Err(); err != nil {
		return l, err
	}
	if l.version == "" || l.tree == "" {
		return l, fmt.Errorf("%s names no version or no tree", path)
	}
	return l, nil
}

func isSHA256(text string) bool {
	b, err := hex.DecodeString(text)
	return err == nil && len(b) == 32
}
