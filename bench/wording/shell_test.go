package wording

import (
	"os/exec"
	"strings"
	"testing"
)

// TestShell: a shell reads quoted words back.
func TestShell(t *testing.T) {
	words := []string{"plain", "it's", "", "--flag=a b", "$HOME", "*", "a\nb", "--x=", `"`, "--$(false)=1", "--a;b=c"}
	out, err := exec.Command("sh", "-c", `printf '%s\0' `+Shell(words...)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSuffix(string(out), "\x00"); got != strings.Join(words, "\x00") {
		t.Errorf("%q come back from a shell as they were: got %q", words, strings.Split(got, "\x00"))
	}
}
