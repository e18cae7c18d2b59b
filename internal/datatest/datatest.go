// Package datatest reads and writes the files of tests, and finds those outside of their own directories: the
// repository, and the public files that may stand beside it. Only tests import it. A path that is counted in ".." by
// each test is wrong in silence once the test moves.
package datatest

import (
	"os"
	"path/filepath"
	"testing"
)

// Root is the directory of the repository.
func Root(t testing.TB) string {
	t.Helper()
	directory, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(directory, "house_test.go")); err == nil {
			return directory
		}
		above := filepath.Dir(directory)
		if above == directory {
			t.Fatal("the test does not run in the repository")
		}
		directory = above
	}
}

// Public is the path of a public file, or of their directory without a name: below $PARLEY_DATA or, without that,
// below ../shared/data, seen from the repository. Without any of them the test is skipped. Where they are, one that is
// missing is a failure.
func Public(t testing.TB, name ...string) string {
	t.Helper()
	roots := filepath.SplitList(os.Getenv("PARLEY_DATA"))
	if len(roots) == 0 {
		roots = []string{filepath.Join(Root(t), "..", "shared", "data")}
		if _, err := os.Stat(roots[0]); err != nil {
			t.Skip("the public files are not beside the repository, nor named by $PARLEY_DATA: ", err)
		}
	}
	for _, root := range roots {
		path := filepath.Join(append([]string{root}, name...)...)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Fatalf("there is no %s below %s", filepath.Join(name...), roots)
	return ""
}

// Read is the content of a file that has to be there.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Write makes a file, or replaces its content.
func Write[Content ~string | ~[]byte](t testing.TB, path string, content Content) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// File writes a file into a directory of its own, and returns its path.
func File[Content ~string | ~[]byte](t testing.TB, name string, content Content) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	Write(t, path, content)
	return path
}
