package benchtest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// Browser is the path of a Chromium; the test is skipped where there is none.
func Browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("neither chromium nor google-chrome is installed")
	return ""
}

// Browse runs a browser on an address, without any network but this machine's own, and returns what it prints. Its
// clock runs as fast as the page lets it, for a minute.
func Browse(ctx context.Context, browser, address string, flags ...string) (stdout, stderr string, err error) {
	profile, err := os.MkdirTemp("", "parley-browser")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(profile)
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, append([]string{"--headless", "--no-sandbox", "--disable-gpu",
		"--disable-dev-shm-usage", "--disable-background-networking",
		"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "--user-data-dir=" + profile,
		"--enable-logging=stderr", "--virtual-time-budget=60000", address}, flags...)...)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		return "", "", fmt.Errorf("%s: %w\n%s", address, err, &log)
	}
	return out.String(), log.String(), nil
}
