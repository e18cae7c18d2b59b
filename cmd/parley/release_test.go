package main

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestMan: every command has a page, which names its flags, and man can read it.
func TestMan(t *testing.T) {
	dir := t.TempDir()
	parleytest.Must(t, []string{"man", dir})
	page, err := os.ReadFile(filepath.Join(dir, "parley-compare.1"))
	if err != nil || !strings.Contains(string(page), `--conditions`) {
		t.Fatalf("the manual has the flag --conditions: %v\n%.500s", err, page)
	}
	for _, c := range cli.New().Commands() {
		if _, err := os.Stat(filepath.Join(dir, "parley-"+c.Name()+".1")); err != nil && c.IsAvailableCommand() {
			t.Errorf("command %s has a page of the manual: %v", c.Name(), err)
		}
	}
	if _, err := exec.LookPath("man"); err != nil {
		t.Skip("no man here to read the pages")
	}
	read := exec.Command("man", "--warnings", "-l", filepath.Join(dir, "parley-run.1"))
	read.Env = append(os.Environ(), "MANWIDTH=80", "PAGER=cat")
	if out, err := read.CombinedOutput(); err != nil || !strings.Contains(string(out), "Run an experiment") {
		t.Errorf("man shows the page as text: %v\n%.500s", err, out)
	}
}

// TestWheel packs the program as pip installs it, twice with the same bytes, and installs it into a new environment.
func TestWheel(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("python3", "-c", "import venv, ensurepip").CombinedOutput(); err != nil {
		t.Skipf("no python3 with venv and pip here: %v %s", err, out)
	}
	var contents []string
	var wheel string
	for range 2 {
		dir := t.TempDir()
		out, err := exec.Command("python3", "../../tools/wheel.py", "--program", program, "--version",
			"v0.3.1-0.20260102030405-0123456789ab", "--out", dir).CombinedOutput()
		if err != nil {
			t.Fatalf("tools/wheel.py failed: %v, want no error:\n%s", err, out)
		}
		found, err := filepath.Glob(filepath.Join(dir,
			"parley_debate-0.3.1.dev20260102030405-py3-none-manylinux_2_*.whl"))
		if err != nil || len(found) != 1 {
			t.Fatalf("one wheel is made: got %v, %v: %s", found, err, out)
		}
		text := datatest.Read(t, found[0])
		wheel, contents = found[0], append(contents, string(text))
	}
	if contents[0] != contents[1] {
		t.Error("the same program gave other bytes, want the same wheel")
	}
	if r, err := zip.OpenReader(wheel); err != nil || len(r.File) != 9 {
		t.Fatalf("a wheel has 9 files: got %+v, %v", r, err)
	}
	env := filepath.Join(t.TempDir(), "env")
	for _, command := range [][]string{{"python3", "-m", "venv", env},
		{filepath.Join(env, "bin/pip"), "install", "--quiet", "--no-index", wheel}} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v failed: %v, want no error:\n%s", command, err, out)
		}
	}
	out, err := exec.Command(filepath.Join(env, "bin/parley"), "version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "parley ") || !strings.Contains(string(out), "built with ") {
		t.Errorf("the installed program says its version and what it was built with: %v\n%s", err, out)
	}
	cmd := exec.Command(filepath.Join(env, "bin/python"), "-c", useModule)
	cmd.Dir = t.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the module finds the program beside it: %v\n%s", err, out)
	}
}

// useModule calls what needs no frames, and is refused with the program's words.
const useModule = `
import json, os, sys, urllib.request
import parley_debate as parley
assert os.path.dirname(parley.program()) == os.path.dirname(sys.executable), parley.program()
run = parley.compare(out="run", generated=2, conditions=["single,vote"], max_tokens=20)
assert [c["condition"] for c in run.data["conditions"]] == ["single", "vote", "mad"], run.data["conditions"]
assert [r.directory for r in parley.runs("run")] == [run.directory]
assert json.loads(parley.call("status", run.directory, json=True))["state"] == "finished"
open("scores.csv", "w").write("question,system,score\na,x,1\na,y,0\n")
assert parley.stats("scores.csv", reference="y").data["reference"] == "y"
with parley.Server(log="text") as server:
    assert json.load(urllib.request.urlopen(server.base_url + "/models"))["data"][0]["id"] == "tiny"
    assert "path=/v1/models status=200" in server.said(), server.said()
for refused, words in (
    (lambda: parley.compare(out="other", generated=0), "from 1 to 100000"),
    (lambda: parley.compare(out="other", generated=2, set={"prompts": "tiny"}), "--set prompts=tiny"),
    (lambda: parley.Server(model="none.gguf").__enter__(), "none.gguf"),
    (lambda: parley.Run("nowhere"), "nowhere"),
):
    try:
        refused()
    except parley.Error as error:
        assert words in str(error) and error.code in (2, 3), (error.code, str(error))
    else:
        raise AssertionError(words)
`

// TestInstall installs the program for a package, and runs it from there; nothing lies elsewhere.
func TestInstall(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("parley")
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(t.TempDir(), "a package")
	install := func(prefix string) (string, error) {
		cmd := exec.Command("../../tools/install.sh")
		cmd.Env = append(os.Environ(), "PROGRAM="+program, "DESTDIR="+root, "PREFIX="+prefix)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := install("usr"); err == nil || !strings.Contains(out, "is no absolute path") {
		t.Errorf("a relative prefix: %v: %s, want an error and \"is no absolute path\" in it", err, out)
	}
	if out, err := install("/usr"); err != nil {
		t.Fatalf("make install failed: %v, want no error:\n%s", err, out)
	}
	out, err := exec.Command(filepath.Join(root, "usr/bin/parley"), "version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "parley ") {
		t.Errorf("the installed program runs: %v\n%s", err, out)
	}
	for file, holds := range map[string]string{"man/man1/parley-compare.1": "--conditions",
		"doc/parley/LICENSE":                 "Apache",
		"bash-completion/completions/parley": "complete", "zsh/site-functions/_parley": "#compdef parley",
		"fish/vendor_completions.d/parley.fish": "complete -c parley", "doc/parley/LICENSES-OF-OTHERS.txt": "MIT",
		"doc/parley/CHANGELOG.md": "# Changelog"} {
		t.Run(file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, "usr/share", file))
			if err != nil || !strings.Contains(string(text), holds) {
				t.Errorf("the installed %s lacks %q (%v), want it", file, holds, err)
			}
		})
	}
	if entries, err := os.ReadDir(filepath.Dir(root)); err != nil || len(entries) != 1 {
		t.Errorf("beside the installation are %v (%v), want nothing", entries, err)
	}
}

// TestSign: a list of checksums is signed with a key of either kind, here one that is thrown away, and the signature is
// none of another list.
func TestSign(t *testing.T) {
	dir, err := os.MkdirTemp("", "sign") // short, since GnuPG makes sockets in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("GNUPGHOME", dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	do := func(stdin, name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	sums := "0123456789abcdef  parley.tar.gz\n"
	for _, c := range []struct {
		key       string
		made      []string
		signature string
		verify    []string
	}{
		{at("key"), []string{"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", at("key")}, at("SHA256SUMS.sig"),
			[]string{"ssh-keygen", "-Y", "verify", "-f", at("signers"), "-I", "owner", "-n", "file", "-s"}},
		{"owner@example.org", []string{"gpg", "--batch", "--passphrase", "", "--quick-gen-key", "owner@example.org",
			"ed25519", "sign"}, at("SHA256SUMS.asc"), []string{"gpg", "--batch", "--verify"}},
	} {
		t.Run(c.made[0], func(t *testing.T) {
			if _, err := exec.LookPath(c.made[0]); err != nil {
				t.Skip("not here:", err)
			}
			if out, err := do("", c.made[0], c.made[1:]...); err != nil {
				t.Fatalf("%v failed: %v, want no error: %s", c.made, err, out)
			}
			if public, err := os.ReadFile(c.key + ".pub"); err == nil {
				datatest.Write(t, at("signers"), append([]byte("owner "), public...))
			} else {
				defer do("", "gpgconf", "--kill", "all")
			}
			datatest.Write(t, at("SHA256SUMS"), sums)
			if out, err := do("", "../../tools/sign.sh", at("SHA256SUMS"), c.key); err != nil ||
				!strings.Contains(out, c.signature) {
				t.Fatalf("a list of checksums is signed with %s: %v, got %s, want %q in it", c.key, err, out,
					c.signature)
			}
			check := append(c.verify[1:], c.signature)
			if c.made[0] == "gpg" {
				check = append(check, "-") // what is signed comes on the standard input, as the other reads it
			}
			if out, err := do(sums, c.verify[0], check...); err != nil {
				t.Errorf("the signature of its own list is refused: %v, want no error: %s", err, out)
			}
			if out, err := do(sums+" ", c.verify[0], check...); err == nil {
				t.Errorf("the signature is accepted for another list, want an error: %s", out)
			}
		})
	}
	if out, err := do("", "../../tools/sign.sh", at("SHA256SUMS"), "nobody@example.org"); err == nil {
		t.Errorf("signing with an unknown key went well, want an error: %s", out)
	}
}
