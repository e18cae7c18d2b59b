package live

import (
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/report"
	"github.com/parley-debate/parley/bench/report/browser"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/internal/datatest"
)

// serve serves a directory until the test ends, and returns the address of the page.
func serve(t *testing.T, directory string) string {
	t.Helper()
	l, err := Listen("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(directory, report.Options{}, l)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
			t.Error("the port is still open")
		}
	})
	return "http://" + l.Addr().String()
}

// get asks for an address; host is the header of that name, "" that of the address.
func get(t *testing.T, method, address, host string) (status int, body string, header http.Header) {
	t.Helper()
	r, err := http.NewRequest(method, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	client := http.Client{Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text), answer.Header
}

func versionAt(t *testing.T, address string) (version string, running bool) {
	t.Helper()
	var now struct {
		Version string
		Running bool
	}
	status, body, _ := get(t, http.MethodGet, address+"/version", "")
	if err := json.Unmarshal([]byte(body), &now); err != nil || status != http.StatusOK {
		t.Fatalf("the version of the page is told as JSON: got %d %s: %v", status, body, err)
	}
	return now.Version, now.Running
}

var index = regexp.MustCompile(`id="index">([^<]*)<`)

// debatesIn is how many debates the index of a page has.
func debatesIn(t *testing.T, page string) int {
	t.Helper()
	found := index.FindStringSubmatch(page)
	if found == nil {
		return 0
	}
	r, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(found[1])))
	if err != nil {
		t.Fatal(err)
	}
	var held browser.Index
	if err := json.NewDecoder(r).Decode(&held); err != nil {
		t.Fatal(err)
	}
	return len(held.Debates)
}

// TestRunThatGrows asks for the page and its version before each debate of a real run is recorded: both change with
// each debate, the page has those that were recorded, and says of which version it is.
func TestRunThatGrows(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 2, 1)
	questions.Questions = questions.Questions[:2]
	path := filepath.Join(t.TempDir(), "run")
	d := benchtest.OpenDirectory(t, path)
	address := serve(t, path)
	if status, page, _ := get(t, http.MethodGet, address, ""); status != http.StatusServiceUnavailable ||
		!strings.Contains(page, "There is no report yet") || !strings.Contains(page, `fetch("version"`) {
		t.Errorf("before the run: %d\n%s", status, page)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	before, n := "", 0
	look := func(trial.Outcome) error { // before the outcome is recorded
		version, running := versionAt(t, address)
		if version == before || !running {
			t.Errorf("version %s after %s, running: %t", version, before, running)
		}
		before = version
		status, page, _ := get(t, http.MethodGet, address, "")
		quoted, _ := json.Marshal(version)
		if got := debatesIn(t, page); status != http.StatusOK || got != n ||
			!strings.Contains(page, "liveVersion = "+string(quoted)) ||
			!strings.Contains(page, "connect-src &#39;self&#39;") && !strings.Contains(page, "connect-src 'self'") {
			t.Errorf("status %d, %d debates in the page, want %d", status, got, n)
		}
		n++
		return nil
	}
	if err := benchtest.RecordIn(t, path, bench.Options{Task: questions, Conditions: conditions[:4],
		Engine: benchtest.Crowd(questions), Observe: look}); err != nil {
		t.Fatal(err)
	}
	if version, running := versionAt(t, address); version == before || running {
		t.Errorf("at the end: version %s, running: %t", version, running)
	}
	if files, err := filepath.Glob(filepath.Join(path, "report*")); err != nil || len(files) > 0 {
		t.Errorf("serving wrote %v, %v", files, err)
	}
}

// TestInABrowser has Chromium open the page of a run that records another debate whenever the page asks for its
// version: the page that stands at the end, which was opened once, has renewed itself and has them all.
func TestInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("the time is the browser's")
	}
	browser := benchtest.Browser(t)
	questions, conditions := benchtest.Setup(t, 2, 1)
	questions.Questions = questions.Questions[:2]
	path := filepath.Join(t.TempDir(), "run")
	d, err := rundir.OpenDirectory(path)
	if err == nil {
		err = d.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(path, report.Options{}, l)
	if err != nil {
		t.Fatal(err)
	}
	defer s.watched.Close()
	asked, pages := make(chan bool, 1), atomic.Int32{}
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		switch r.URL.Path {
		case "/":
			pages.Add(1)
		case "/version":
			select {
			case asked <- true:
			default:
			}
		}
		s.ServeHTTP(w, r)
		if r.URL.Path == "/" { // a reader unfolds once what is folded
			fmt.Fprint(w, `<script>{ const asked = document.querySelector("details.asked");
				if (asked && !sessionStorage.unfolded) asked.open = sessionStorage.unfolded = true; }</script>`)
		}
	})}
	go server.Serve(l)
	defer server.Close()
	var page, log string
	var broken error
	ended := make(chan bool)
	go func() {
		defer close(ended)
		page, log, broken = benchtest.Browse(t.Context(), browser, "http://"+l.Addr().String(), "--dump-dom")
	}()
	wait := func(trial.Outcome) error {
		select {
		case <-asked:
		case <-ended: // the test fails below
		}
		return nil
	}
	if err := benchtest.RecordIn(t, path, bench.Options{Task: questions, Conditions: conditions[:2],
		Engine: benchtest.Crowd(questions), Observe: wait}); err != nil {
		t.Fatal(err)
	}
	<-ended
	if shown := debatesIn(t, page); broken != nil || shown != 4 || pages.Load() < 2 ||
		!strings.Contains(page, "The run is not under way") {
		t.Errorf("%v, %d debates after %d pages:\n%s", broken, shown, pages.Load(), page)
	}
	if !strings.Contains(page, `class="asked" open`) {
		t.Error("what was unfolded is folded when the page has renewed itself")
	}
	for line := range strings.Lines(log) {
		// Before anything is recorded, the status of the page says so.
		if strings.Contains(line, "CONSOLE") && !strings.Contains(line, "503 (Service Unavailable)") &&
			!strings.Contains(line, "favicon") {
			t.Errorf("the browser complains of the page: %s", line)
		}
	}
}

// TestRefuses: the server answers to loopback names with its port alone, to nothing but the two addresses, and only
// reads.
func TestRefuses(t *testing.T) {
	path, _ := benchtest.Finished(t)
	datatest.Write(t, filepath.Join(filepath.Dir(path), "secret"), "secret")
	address := serve(t, path)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{
		"127.0.0.1:" + port: 200, "localhost:" + port: 200, "LOCALHOST:" + port: 200, "[::1]:" + port: 200,
		"evil.example:" + port: 403, "localhost.evil.example:" + port: 403, "127.0.0.1.evil.example:" + port: 403,
		"localhost": 403, "localhost:1": 403, "192.168.0.1:" + port: 403, "0.0.0.0:" + port: 403,
	} {
		t.Run(host, func(t *testing.T) {
			for _, at := range []string{"/", "/version"} {
				if got, body, _ := get(t, http.MethodGet, address+at, host); got != want {
					t.Errorf("%s of %s: %d %s", at, host, got, body)
				}
			}
		})
	}
	for _, at := range []string{"/../secret", "/%2e%2e/secret", "/..%2fsecret", "//secret", "/debates.jsonl.zst",
		"/run/", "/report.html", "/version/", "/./", "/%2e%2e%2fsecret"} {
		got, body, _ := get(t, http.MethodGet, address+at, "")
		if got != http.StatusNotFound || strings.Contains(body, "secret") {
			t.Errorf("%s is not found, and nothing of it is told: got %d %s", at, got, body)
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		t.Run(fmt.Sprintf("%.60s", method), func(t *testing.T) {
			if got, _, header := get(t, method, address, ""); got != http.StatusMethodNotAllowed ||
				header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s is refused, and no other origin is let in: got %d %v", method, got, header)
			}
		})
	}
	_, _, header := get(t, http.MethodGet, address, "")
	for name, want := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "frame-ancestors 'none'", "Cross-Origin-Resource-Policy": "same-origin"} {
		t.Run(name, func(t *testing.T) {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		})
	}
}

func TestListenRefuses(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.168.1.1:80", "example.com:80", "127.0.0.1",
		"1.2.3.4:x"} {
		t.Run(address, func(t *testing.T) {
			l, err := Listen(address)
			if err == nil {
				l.Close()
				t.Errorf("%s was opened", address)
			}
		})
	}
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := New(filepath.Join(t.TempDir(), "none"), report.Options{}, l); err == nil {
		t.Error("a directory that does not exist is served")
	}
}
