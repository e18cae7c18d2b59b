package serve_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestBehindNginx: examples/proxy/nginx.conf, with its files and ports replaced by those of the test, passes on
// requests, streams and API keys: the replies are those of the server itself.
func TestBehindNginx(t *testing.T) {
	parleytest.NeedsLlama(t)
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("no nginx here: examples/proxy/nginx.conf was not tried: ", err)
	}
	dir := t.TempDir()
	keys := filepath.Join(dir, "keys")
	datatest.Write(t, keys, "sesame\n")
	server := serves(t, "--api-key-file", keys)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	free.Close()
	example := datatest.Read(t, parleytest.InRepository("examples/proxy/nginx.conf"))
	certificate, key := selfSigned(t, dir)
	text := string(example)
	for from, to := range map[string]string{
		"listen 8443": "listen " + at, "http://127.0.0.1:8080;": server.url + ";",
		"/etc/ssl/parley/cert.pem": certificate, "/etc/ssl/parley/key.pem": key,
		"http {": fmt.Sprintf("http {\n access_log off; client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; "+
			"fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;", dir),
	} {
		if strings.Count(text, from) != 1 {
			t.Fatalf("the example has %q %d times, want once", from, strings.Count(text, from))
		}
		text = strings.Replace(text, from, to, 1)
	}
	conf := filepath.Join(dir, "nginx.conf")
	datatest.Write(t, conf, text)
	proxy := exec.Command(nginx, "-c", conf, "-e", filepath.Join(dir, "errors"), "-g",
		"daemon off; pid "+filepath.Join(dir, "pid")+";")
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = proxy.Process.Signal(os.Interrupt)
		_ = proxy.Wait()
	}()
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
		Timeout: time.Minute}
	ask := func(url, body string) string {
		t.Helper()
		r := keyed(t, url+"/v1/chat/completions")
		r.Method, r.Body, r.ContentLength = http.MethodPost, io.NopCloser(strings.NewReader(body)), int64(len(body))
		response, err := client.Do(r)
		if err != nil {
			return err.Error()
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return fmt.Sprint(response.Status, string(text), err)
	}
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", at); err == nil {
			c.Close()
			break
		} else if time.Now().After(until) {
			errors, _ := os.ReadFile(filepath.Join(dir, "errors"))
			t.Fatalf("nginx does not answer (%v), want it to in time: %s", err, errors)
		}
	}
	for _, more := range []string{`"seed":3`, `"seed":4,"stream":true`, `"seed":5,"max_tokens":"x"`} {
		body := strings.Replace(greeting, "24", "24,"+more, 1)
		want, got := ask(server.url, body), ask("https://"+at, body)
		if got != want || !strings.HasPrefix(want, "200") && !strings.HasPrefix(want, "400") {
			t.Errorf("%s: %s by nginx, and %s without it", more, got, want)
		}
	}
}
