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

	"github.com/parley-debate/parley/inference/serve/listen"
	"github.com/parley-debate/parley/internal/soak"
)

// listening has a server answer on a port of its own until end is called, which returns what Serve returned.
func listening(t *testing.T, s *started) (address string, end func() error) {
	t.Helper()
	l, url, err := listen.Open("localhost:0", listen.Options{MaxConnections: s.options.MaxConnections})
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
func said(t *testing.T, address, text string, then ...func(*net.TCPConn) error) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	for _, do := range then {
		if err := do(c.(*net.TCPConn)); err != nil {
			t.Fatal(err)
		}
	}
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
	answer, err := io.ReadAll(c)
	if err != nil {
		t.Errorf("after %q the connection stays open (%v), want it closed", text, err)
	}
	return string(answer)
}

// TestSlowClients are not waited for: neither for the rest of a header, nor for that of a body. The time for a body
// does not bound the reply.
func TestSlowClients(t *testing.T) {
	s := start(t, func(o *Options) { o.Header, o.Body = 50*time.Millisecond, 50*time.Millisecond })
	address, end := listening(t, s)
	if got := said(t, address, "POST /v1/completions HTTP/1.1\r\nHost: local"); strings.Contains(got, "200 OK") {
		t.Errorf("half a header got %q, want no answer of 200", got)
	}
	head := "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
	if got := said(t, address, fmt.Sprintf(head, 100, `{"prompt"`)); !strings.Contains(got, "408 Request Timeout") {
		t.Errorf("half a body got %q, want 408 Request Timeout", got)
	}
	long := `{"prompt":"One","max_tokens":150,"ignore_eos":true}`
	if got := said(t, address, fmt.Sprintf(head, len(long), long)); !strings.Contains(got, `"completion_tokens":150`) {
		t.Errorf("a reply that takes longer than a header may got %q, want all 150 tokens", got)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestHalfClosed: a client that closes its side of the connection before the reply is there cannot be told from one
// that has gone. Its reply is given up, and it is told why, by no error of the server.
func TestHalfClosed(t *testing.T) {
	s := start(t)
	address, end := listening(t, s)
	for _, fields := range []string{"", `,"stream":true`} {
		body := `{"prompt":"One","max_tokens":400,"ignore_eos":true` + fields + "}"
		got := said(t, address, fmt.Sprintf("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d"+
			"\r\nConnection: close\r\n\r\n%s", len(body), body), (*net.TCPConn).CloseWrite)
		if strings.Contains(got, "shutting down") || !strings.Contains(got, "keep both of its directions open") ||
			!strings.Contains(got, "HTTP/1.1 499") && fields == "" || strings.Contains(got, "server_error") {
			t.Errorf("%s: a half-closed connection got %q, want to be told to keep both directions open, and no "+
				"server_error", body, got)
		}
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestSurplusConnections: with as many connections in use as there may be, a request on another one is told so at once,
// is told the health all the same, and is answered when one of them has gone.
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
		body := `{"prompt":"One","max_tokens":900,"ignore_eos":true,"stream":true}`
		fmt.Fprintf(c, "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body),
			body)
		if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, "200 OK") {
			t.Fatalf("%q, %v, want 200 OK", line, err)
		}
		open = append(open, c)
	}
	ask := "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
	if got := said(t, address, fmt.Sprintf(ask, "/v1/models")); !strings.Contains(got, "503 Service") ||
		!strings.Contains(got, "Retry-After: 1") || !strings.Contains(got, "2 connections are open already") {
		t.Errorf("a third connection of two got %q, want 503, Retry-After and why", got)
	}
	if got := said(t, address, fmt.Sprintf(ask, "/health")); !strings.Contains(got, "200 OK") {
		t.Errorf("the health of a busy server is %q, want 200 OK", got)
	}
	open[0].Close()
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if got := said(t, address, fmt.Sprintf(ask, "/v1/models")); strings.Contains(got, "200 OK") {
			break
		} else if time.Now().After(until) {
			t.Fatalf("after another one was closed a connection got %q, want 200 OK in time", got)
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
		t.Errorf("%v of processor time in half a second with nothing to do, want at most 150 ms", took)
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
			t.Errorf("with %v to drain, the server ended with the error %v, want %q (none if empty)", drain, err, want)
		}
		if done := strings.HasSuffix(string(rest), "data: [DONE]\n\n"); done != (want == "") {
			t.Errorf("with %v to drain, the reply under way was finished: %v, want %v", drain, done, want == "")
		}
	}
}

// pipes is a listener whose connections have no buffers: what nobody reads is not written.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// TestStalledReader: a client that does not take its stream loses it, and with it the place and the memory that it had.
func TestStalledReader(t *testing.T) {
	s := start(t, func(o *Options) { o.Reading = 50 * time.Millisecond })
	l := make(pipes, 1)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	client, server := net.Pipe()
	defer client.Close()
	l <- server
	body := `{"prompt":"One","max_tokens":150,"ignore_eos":true,"stream":true}`
	_, err := fmt.Fprintf(client, "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s",
		len(body), body)
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(client)
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "200 OK") {
		t.Fatalf("%q, %v, want 200 OK", line, err)
	}
	all := s.replies.Lease(0)
	if all.Grow(s.replies.Most()) == nil {
		t.Error("a reply under way has no memory, want it reserved")
	}
	until := time.Now().Add(20 * time.Second)
	for all.Grow(s.replies.Most()) != nil {
		if time.Sleep(time.Millisecond); time.Now().After(until) {
			t.Fatal("after 20 s the reply still has memory, want it given back")
		}
	}
	all.End()
	if rest, err := io.ReadAll(in); err != nil || strings.Contains(string(rest), "[DONE]") {
		t.Errorf("%v, and the stream that nobody read ended in %q", err, rest[max(0, len(rest)-100):])
	}
	cancel()
	close(l)
	<-ended
}

// TestUnfinishedBodies: whoever begins large bodies and does not end them gets what the budget has, and no more; others
// are told so at once, and small requests are answered beside them.
func TestUnfinishedBodies(t *testing.T) {
	s := start(t, func(o *Options) { o.MaxInFlight = 64 << 20 })
	address, end := listening(t, s)
	large := strings.Repeat("x", 3<<20)
	refused := 0
	for range 10 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", len(large))
		go func() { _, _ = io.WriteString(c, large[1:]) }()
		_ = c.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
		if line, err := bufio.NewReader(c).ReadString('\n'); err == nil && strings.Contains(line, "429") {
			refused++
		}
	}
	if refused < 5 {
		t.Errorf("%d of 10 bodies of 3 MiB were refused, and there are 16 MiB for what becomes of them", refused)
	}
	var got chatAnswer
	s.ok(t, "/v1/chat/completions", asking(puzzle, `,"max_tokens":2`), &got)
	if status, text := s.post(t, "/v1/completions", `{"prompt":"`+strings.Repeat("y", 5<<20)+`"}`); status != 413 &&
		status != 429 || !strings.Contains(text, "--max-in-flight") {
		t.Errorf("%d %.200s, want 413 or 429 that names --max-in-flight", status, text)
	}
	if err := end(); err != nil && !strings.Contains(err.Error(), "given up") {
		t.Error(err)
	}
}
