package report

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// Run directories that several tests read are held once and copied for each test, which may change its copy.
var (
	sharedRoot  string
	sharedMutex sync.Mutex // guards sharedDirs, since the tests in a browser run side by side
	sharedDirs  = make(map[string]string)
)

func TestMain(m *testing.M) {
	root, err := os.MkdirTemp("", "report")
	if err != nil {
		panic(err)
	}
	sharedRoot = root
	code := m.Run()
	_ = os.RemoveAll(root)
	os.Exit(code)
}

// copyOf returns a copy of the directory of a name, which hold writes when the name is first asked for.
func copyOf(t testing.TB, name string, hold func(path string)) string {
	t.Helper()
	sharedMutex.Lock()
	defer sharedMutex.Unlock()
	if sharedDirs[name] == "" {
		path := filepath.Join(sharedRoot, strconv.Itoa(len(sharedDirs)))
		hold(path)
		sharedDirs[name] = path
	}
	copied := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(copied, os.DirFS(sharedDirs[name])); err != nil {
		t.Fatal(err)
	}
	return copied
}
