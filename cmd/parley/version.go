package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/inference/llamacpp"
)

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of parley, Go and llama.cpp, and the CPU features of the build",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]any{
					"parley": programVersion(), "go": runtime.Version(),
					"platform": runtime.GOOS + "/" + runtime.GOARCH, "llama.cpp": llamacpp.Build(),
					"flags": buildFlags(),
				})
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "parley %s, %s, %s/%s\n%s\nbuilt with %s\n", programVersion(),
				runtime.Version(), runtime.GOOS, runtime.GOARCH, buildLine(), strings.Join(buildFlags(), " "))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// versionLine identifies the program and its build in one line, for --version and doctor.
func versionLine() string { return programVersion() + "; " + buildLine() }

// programVersion is the module version and the revision that go build recorded, if any.
func programVersion() string {
	info, _ := debug.ReadBuildInfo()
	version, revision, modified := "unknown", "", ""
	if info != nil {
		version = info.Main.Version
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = " " + s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = " modified"
			}
		}
	}
	return version + revision + modified
}

// buildFlags are the flags that the program was compiled with, as go build recorded them.
func buildFlags() (flags []string) {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return nil
	}
	for _, s := range info.Settings {
		if strings.HasPrefix(s.Key, "-") && s.Key != "-compiler" || s.Key == "CGO_CFLAGS" || s.Key == "CGO_LDFLAGS" {
			flags = append(flags, fmt.Sprintf("%s=%q", s.Key, s.Value))
		}
	}
	return flags
}

// buildLine names the llama.cpp inside, its compiler and the CPU features it was built for.
func buildLine() string { return llamacpp.Build().String() }
