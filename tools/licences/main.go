// Command licences lists the modules that a program is built from with their licences, and the packages of npm whose
// files are in directories such as katex@0.19.1 of its own packages. It fails if a licence is not among those allowed.
// Run it in the directory of the program's module:
//
//	licences ./cmd/parley
//
// With -texts it prints the texts of the licences too, as they have to go with the program. With -llama DIR, the prefix
// that the program's llama.cpp is in, llama.cpp is one of them.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed are licences that only ask for their text in what is distributed.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "OFL-1.1", "Unlicense", "CC0-1.0",
	"Zlib", "BSL-1.0", "FTL",
	"CC-BY-4.0"}

// read are licences that a program cannot recognise, as a person has read them.
var read = map[string][]string{
	"github.com/ajstarks/svgo":   {"CC-BY-4.0"}, // LICENSE-link.txt says so and links it
	"github.com/golang/freetype": {"FTL"},       // or GPL 2, as the user likes
}

// readLlama are the licences of llama.cpp and of what it brings along (tools/llama, licences): ggml, kernels of
// llamafile and Arm, hashes.
var readLlama = []string{"MIT", "BSD-2-Clause", "Unlicense"}

// llamaIn is the llama.cpp of a prefix, by its name and version.
func llamaIn(prefix string) (m module, err error) {
	flags, err := os.ReadFile(filepath.Join(prefix, "flags.mk"))
	if err != nil {
		return m, err
	}
	_, version, _ := strings.Cut(string(flags), "-DPARLEY_LLAMA=")
	version, _, there := strings.Cut(version, "\n")
	if !there {
		return m, fmt.Errorf("%s: no version of llama.cpp", prefix)
	}
	m = module{"llama.cpp@" + version, prefix}
	read[m.path] = readLlama
	return m, nil
}

func main() {
	texts := flag.Bool("texts", false, "print the texts of the licences too")
	llama := flag.String("llama", "", "the prefix of llama.cpp")
	flag.Parse()
	if err := run(flag.Args(), *texts, *llama); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func run(packages []string, texts bool, llama string) error {
	modules, err := modulesOf(packages)
	if err != nil {
		return err
	}
	if llama != "" {
		l, err := llamaIn(llama)
		if err != nil {
			return err
		}
		modules = append(modules, l)
	}
	var wrong []error
	for _, m := range modules {
		found, err := read[m.path], error(nil)
		if found == nil {
			found, err = licencesIn(m.directory)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", m.path, err))
			continue
		}
		fmt.Printf("%-50s %s\n", m.path, strings.Join(found, ", "))
		if texts {
			wrong = append(wrong, printTexts(m.directory))
		}
		for _, l := range found {
			if !slices.Contains(allowed, l) {
				wrong = append(wrong, fmt.Errorf("%s is under %s, which is not among those allowed: %s", m.path, l,
					strings.Join(allowed, ", ")))
			}
		}
	}
	return errors.Join(wrong...)
}

type module struct{ path, directory string }

// modulesOf are the modules of all packages that these are built from, in the order of their names.
func modulesOf(packages []string) (modules []module, err error) {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}"},
		packages...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		if path, directory, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			modules = append(modules, module{path, directory})
		}
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	if modules = slices.Compact(modules); len(modules) == 0 {
		return nil, errors.New("these packages are built from no module")
	}
	enclosed, err := enclosedIn(packages)
	return append(modules, enclosed...), err
}

// enclosedIn are the packages of npm in the directories of the Go packages that these are built from.
func enclosedIn(packages []string) (enclosed []module, err error) {
	out, err := exec.Command("go", append([]string{"list", "-deps", "-f",
		"{{with .Module}}{{if .Main}}{{$.Dir}}{{end}}{{end}}"}, packages...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for directory := range strings.Lines(string(out)) {
		found, err := filepath.Glob(filepath.Join(strings.TrimSpace(directory), "*@*"))
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			enclosed = append(enclosed, module{"npm/" + filepath.Base(path), path})
		}
	}
	return enclosed, nil
}

// licencesIn reads the licence files at the top of a module.
func licencesIn(directory string) (found []string, err error) {
	files, err := os.ReadDir(directory)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if !isLicence(f) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(directory, f.Name()))
		if err != nil {
			return nil, err
		}
		covered := licensecheck.Scan(bytes.TrimSpace(text))
		if covered.Percent < 75 {
			return nil, fmt.Errorf("%s is not a known licence (%.0f %% of its text is)", f.Name(), covered.Percent)
		}
		for _, m := range covered.Match {
			found = append(found, m.ID)
		}
	}
	if len(found) == 0 {
		return nil, errors.New("it has no licence file")
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

func isLicence(f fs.DirEntry) bool {
	name := strings.ToUpper(f.Name())
	return !f.IsDir() && (strings.HasPrefix(name, "LICEN") || strings.HasPrefix(name, "COPYING") ||
		strings.HasPrefix(name, "UNLICENSE"))
}

// printTexts prints the licence files at the top of a module.
func printTexts(directory string) error {
	files, err := os.ReadDir(directory)
	if err != nil {
		return err
	}
	for _, f := range files {
		if !isLicence(f) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(directory, f.Name()))
		if err != nil {
			return err
		}
		fmt.Printf("\n%s\n\n", bytes.TrimSpace(text))
	}
	return nil
}
