package serve

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/internal/soak"
)

// listening has a server answer on a port of its own until end is called, which returns what Serve returned.
func listening(t *testing.T, s *started) (address string, end func() error) {
	t.Helper()
	l, url, err := Listen("localhost:0", s.options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	return strings.TrimPrefix(url, "http://"), func() error {
		cancel()
		return <-ended
	}
}

// said sends the beginning of a request and returns all that comes until the server closes the connection.
func said(t *testing.T, address, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
	answer, err := io.ReadAll(c)
	if err != nil {
		t.Errorf("%q: the connection stays open: %v", text, err)
	}
	return string(answer)
}

// TestSlowClients are not waited for: neither for the rest of a header, nor for that of a body. The time for a body
// does not bound the reply.
func TestSlowClients(t *testing.T) {
	s := start(t, func(o *Options) { o.Header, o.Body = 50*time.Millisecond, 50*time.Millisecond })
	address, end := listening(t, s)
	if got := said(t, address, "POST /v1/completions HTTP/1.1\r\nHost: local"); strings.Contains(got, "200 OK") {
		t.Errorf("half a header got %q", got)
	}
	head := "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
	if got := said(t, address, fmt.Sprintf(head, 100, `{"prompt"`)); !strings.Contains(got, "408 Request Timeout") {
		t.Errorf("half a body got %q", got)
	}
	long := `{"prompt":"One","max_tokens":150,"ignore_eos":true}`
	if got := said(t, address, fmt.Sprintf(head, len(long), long)); !strings.Contains(got, `"completion_tokens":150`) {
		t.Errorf("a long reply got %q", got)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestSurplusConnections: with as many connections open as there may be, a request on another one is told so at once,
// and is answered when one of them has gone.
func TestSurplusConnections(t *testing.T) {
	s := start(t, func(o *Options) { o.MaxConnections = 2 })
	address, end := listening(t, s)
	var open []net.Conn
	for range 2 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		// Answered, it has certainly been accepted.
		if _, err := io.WriteString(c, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, "200 OK") {
			t.Fatalf(`%v %v, want err == nil && strings.Contains(line, "200 OK")`, line, err)
		}
		open = append(open, c)
	}
	ask := "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
	if got := said(t, address, ask); !strings.Contains(got, "503 Service") ||
		!strings.Contains(got, "Retry-After: 1") || !strings.Contains(got, "2 connections are open already") {
		t.Errorf("a third connection got %q", got)
	}
	open[0].Close()
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if got := said(t, address, ask); strings.Contains(got, "200 OK") {
			break
		} else if time.Now().After(until) {
			t.Fatalf("after another one was closed: %q", got)
		}
	}
	open[1].Close()
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestIdle: a server that has answered and has nothing to do uses no processor time. No other test runs beside it.
func TestIdle(t *testing.T) {
	s := start(t)
	var got chatAnswer
	s.ok(t, "/v1/chat/completions", asking(puzzle, `,"max_tokens":20`), &got)
	runtime.GC() // not while it is measured
	before := soak.Processor()
	time.Sleep(500 * time.Millisecond)
	if took := soak.Processor() - before; took > 150*time.Millisecond {
		t.Errorf("%v of processor time in half a second with nothing to do", took)
	}
}

// TestDrain: a server that ends finishes replies under way, or gives them up when their time is over, and says so.
func TestDrain(t *testing.T) {
	for drain, want := range map[time.Duration]string{0: "were given up", time.Minute: ""} {
		tokens := map[time.Duration]int{0: 900, time.Minute: 100}[drain]
		s := start(t, func(o *Options) { o.Drain = drain })
		address, end := listening(t, s)
		response, err := http.Post("http://"+address+"/v1/completions", "application/json",
			strings.NewReader(fmt.Sprintf(`{"prompt":"One","max_tokens":%d,"ignore_eos":true,"stream":true}`, tokens)))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		events := bufio.NewReader(response.Body)
		if _, err := events.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() { ended <- end() }()
		rest, _ := io.ReadAll(events)
		if err := <-ended; (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v to drain: %v", drain, err)
		}
		if done := strings.HasSuffix(string(rest), "data: [DONE]\n\n"); done != (want == "") {
			t.Errorf("%v to drain: finished %v", drain, done)
		}
	}
}
