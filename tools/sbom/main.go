// Command sbom prints a bill of materials of a Go program in CycloneDX's JSON: the modules that go build recorded in
// it, with their versions, and the licences that it reads from its input as the command licences prints them.
//
//	licences ./cmd/parley | sbom bin/parley > parley.cdx.json
package main

import (
	"bufio"
	"debug/buildinfo"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM < LICENCES")
		os.Exit(2)
	}
	if err := write(os.Stdout, os.Args[1], os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(out io.Writer, program string, licences io.Reader) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	known := make(map[string]string)
	lines := bufio.NewScanner(licences)
	for lines.Scan() {
		if path, licence, ok := strings.Cut(lines.Text(), " "); ok {
			known[path] = strings.TrimSpace(licence)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	of := func(path, version string, kind cdx.ComponentType) cdx.Component {
		c := cdx.Component{BOMRef: path, Type: kind, Name: path, Version: version,
			PackageURL: "pkg:golang/" + path + "@" + version}
		if known[path] != "" {
			c.Licenses = &cdx.Licenses{}
			for id := range strings.SplitSeq(known[path], ", ") {
				*c.Licenses = append(*c.Licenses, cdx.LicenseChoice{License: &cdx.License{ID: id}})
			}
		}
		return c
	}
	main := of(info.Main.Path, info.Main.Version, cdx.ComponentTypeApplication)
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &main}
	components, needs := []cdx.Component{}, []string{}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		components = append(components, of(m.Path, m.Version, cdx.ComponentTypeLibrary))
		needs = append(needs, m.Path)
	}
	for _, path := range slices.Sorted(maps.Keys(known)) {
		if version, llama := strings.CutPrefix(path, "llama.cpp@"); llama {
			number, _, _ := strings.Cut(version, "+")
			c := of(path, version, cdx.ComponentTypeLibrary)
			c.Name, c.PackageURL = "llama.cpp", "pkg:github/ggml-org/llama.cpp@v"+number
			components, needs = append(components, c), append(needs, path)
		}
		if name, npm := strings.CutPrefix(path, "npm/"); npm {
			name, version, _ := strings.Cut(name, "@")
			c := of(path, version, cdx.ComponentTypeLibrary)
			c.Name, c.PackageURL = name, "pkg:npm/"+name+"@"+version
			components, needs = append(components, c), append(needs, path)
		}
	}
	components = append(components, of("stdlib", strings.TrimPrefix(info.GoVersion, "go"), cdx.ComponentTypeLibrary))
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &needs}}
	return cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}
