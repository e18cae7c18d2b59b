package remote

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parley-debate/parley/inference"
)

// status answers with a status and a body.
func status(code int, body string, header ...string) faulty {
	return func(w http.ResponseWriter, _ func(http.ResponseWriter)) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// changed answers with the server's reply in which a text is replaced.
func changed(pattern, by string) faulty {
	return func(w http.ResponseWriter, through func(http.ResponseWriter)) {
		var r httptest.ResponseRecorder
		b := new(strings.Builder)
		through(&written{&r, b})
		text := regexp.MustCompile(pattern).ReplaceAllString(b.String(), by)
		if text == b.String() {
			panic("nothing to replace by " + by)
		}
		_, _ = io.WriteString(w, text)
	}
}

// written collects what is written to it.
type written struct {
	http.ResponseWriter
	to io.Writer
}

func (w *written) Write(p []byte) (int, error) { return w.to.Write(p) }

// cut sends the head and a part of the body, and closes or resets the connection.
func cut(reset bool) faulty {
	return func(w http.ResponseWriter, through func(http.ResponseWriter)) {
		b := new(strings.Builder)
		through(&written{w, b})
		hijacked(w, func(c net.Conn) {
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", b.Len(), b.String()[:b.Len()/2])
			if reset {
				_ = c.(*net.TCPConn).SetLinger(0)
			}
		})
	}
}

// passing are faults after which the next exchange may succeed.
var passing = map[string]faulty{
	"late": func(w http.ResponseWriter, through func(http.ResponseWriter)) {
		time.Sleep(20 * time.Millisecond)
		through(w)
	},
	"cut":        cut(false),
	"reset":      cut(true),
	"no answer":  func(w http.ResponseWriter, _ func(http.ResponseWriter)) { hijacked(w, func(net.Conn) {}) },
	"not HTTP":   func(w http.ResponseWriter, _ func(http.ResponseWriter)) { hijacked(w, babble) },
	"half JSON":  changed(`.{40}\s*$`, ""),
	"a page":     status(200, "<html>welcome</html>"),
	"empty":      status(200, ""),
	"null":       status(200, "null"),
	"busy":       status(429, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`, "Retry-After", "0"),
	"loading":    status(503, `{"error":{"message":"Loading model","type":"unavailable_error"}}`),
	"broken":     status(500, `{"error":"cuda error"}`),
	"gateway":    status(502, "bad gateway"),
	"two":        changed(`"choices":\[(.*)\],"model"`, `"choices":[$1,$1],"model"`),
	"none":       changed(`"choices":\[.*\],"model"`, `"choices":[],"model"`),
	"number":     changed(`"index":0`, `"index":1`),
	"no usage":   changed(`"usage"`, `"abuse"`),
	"no count":   changed(`"completion_tokens"`, `"completed"`),
	"negative":   changed(`"completion_tokens":3`, `"completion_tokens":-3`),
	"too long":   changed(`"completion_tokens":3`, `"completion_tokens":300`),
	"too cached": changed(`"cached_tokens":4`, `"cached_tokens":40`),
	"cut short":  changed(`"finish_reason":"stop"`, `"finish_reason":"length"`),
	"aborted":    changed(`"finish_reason":"stop"`, `"finish_reason":"abort"`),
	"no text":    changed(`"message"`, `"massage"`),
}

func babble(c net.Conn) { _, _ = io.WriteString(c, "hello there\r\n\r\n") }

// TestPassingFaults: each of them ends in another try, whose reply is recorded, and nothing else is. A server that
// never gets better ends in an error that names it.
func TestPassingFaults(t *testing.T) {
	t.Parallel()
	for name, fault := range passing {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := start(t, vLLM)
			f.faults = []faulty{fault, fault}
			e, kept := open(t, fast(), f)
			requests := questions(3)
			replies, err := ask(t.Context(), e, requests)
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range replies {
				if r.Text != textOf(requests[i]) {
					t.Errorf("%d: %q, want %v", i, r.Text, textOf(requests[i]))
				}
			}
			if want := 2; name != "late" && e.Retried() != want {
				t.Errorf("%d retries, want %d", e.Retried(), want)
			}
			checkRecords(t, kept, replies)
			if name == "late" {
				return
			}
			for range 1000 {
				f.faults = append(f.faults, fault)
			}
			before := len(kept.all)
			_, err = ask(t.Context(), e, questions(5)[3:])
			if err == nil || !strings.Contains(err.Error(), f.URL) || len(kept.all) > before {
				t.Fatalf("a server that fails for good got the error %v and %d more records, want one with its "+
					"address and none", err, len(kept.all)-before)
			}
			if _, again := ask(t.Context(), e, questions(1)); again == nil || again.Error() != err.Error() {
				t.Errorf("the engine has ended with %v and says %v, want the same again", err, again)
			}
		})
	}
}

// TestNobodyListens: an error of the network says what to do about it, and keeps what the system said.
func TestNobodyListens(t *testing.T) {
	t.Parallel()
	dial := func(err error) error {
		return &url.Error{Op: "Get", URL: "http://h", Err: &net.OpError{Op: "dial", Err: err}}
	}
	s := &server{url: "http://h"}
	for _, c := range []struct {
		err  error
		want string
	}{
		{dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), "start the server"},
		{dial(os.NewSyscallError("connect", syscall.EHOSTUNREACH)), "look at its network"},
		{dial(os.NewSyscallError("connect", syscall.ENETUNREACH)), "look at its network"},
		{dial(&net.DNSError{Err: "no such host", Name: "h", IsNotFound: true}), "write the host's name"},
		{dial(&net.DNSError{Err: "i/o timeout", Name: "h", IsTimeout: true}), ""},
		{dial(os.NewSyscallError("read", syscall.ECONNRESET)), ""},
	} {
		f := s.faultOf(c.err)
		var of *url.Error
		errors.As(c.err, &of)
		said, next, _ := strings.Cut(f.Error(), "; ")
		if said != "server http://h: "+of.Err.Error() || f.lasting || !strings.Contains(next, c.want) ||
			(next == "") != (c.want == "") {
			t.Errorf("%v: %q, want %q", c.err, f, c.want)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	listener.Close()
	_, err = Open(t.Context(), address, Options{})
	if err == nil || !strings.Contains(err.Error(), "start the server") {
		t.Errorf("nobody listens at %s: got the error %v, want one that says \"start the server\"", address, err)
	}
}

// TestLastingFaults: they end in an error at once, which says what to change.
func TestLastingFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault faulty
		want  string
		alone bool // only the request fails, and the next is answered
	}{
		{changed(`"model":"m"`, `"model":"another"`), `of model "another", where "m" was asked for`, false},
		{status(401, `{"error":{"message":"no key"}}`), "PARLEY_API_KEY_127_0_0_1_", false},
		{status(403, "no"), "status 403: no", false},
		{status(404, `{"detail":"Not Found"}`), "status 404", false},
		{status(400, `{"error":{"message":"unknown field \u001b[31m top_k"}}`), `unknown field \u001b[31m top_k`,
			false},
		{status(307, "", "Location", "http://127.0.0.1:1/"), "redirects elsewhere", false},
		{status(429, `{"error":{"message":"you have no money","code":"insufficient_quota"}}`), "no money", false},
		{status(400, `{"error":{"message":"This model's maximum context length is 5 tokens"}}`), "lower --max-tokens",
			true},
		{status(400, `{"error":{"code":400,"message":"x","type":"exceed_context_size_error"}}`), "lower --max-tokens",
			true},
		{status(413, "too much"), "lower --max-tokens", true},
		{status(400, `{"error":{"message":"not this","code":"content_filter"}}`), "not this", true},
		{status(200, strings.Repeat(" ", mostAnswer+1)), "more than", false},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Parallel()
			f := start(t, vLLM)
			if f.faults = []faulty{c.fault}; !c.alone { // so that it meets whatever is asked next
				f.faults = append(f.faults, c.fault)
			}
			e, kept := open(t, fast(), f)
			replies, err := ask(t.Context(), e, questions(1))
			if c.alone && err == nil {
				err = replies[0].Err
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || len(kept.all) > 0 || e.Retried() > 0 {
				t.Errorf("a lasting fault got the error %v, %d records and %d retries, want %q and none", err,
					len(kept.all), e.Retried(), c.want)
			}
			replies, err = ask(t.Context(), e, questions(2)[1:])
			if c.alone != (err == nil) {
				t.Errorf("the next request got %+v (%v), want it to be answered: %v", replies, err, c.alone)
			}
			if c.want == "lower --max-tokens" && !errors.Is(e.jobs[e.key(t, questions(1)[0])].generation.Reply.Err,
				inference.ErrTooLong) {
				t.Errorf("a prompt that is too long got another error, want %v", inference.ErrTooLong)
			}
		})
	}
}

// TestOneQuestion: what one question causes, again and again, fails its replies in the server's words, whether others
// are asked beside it or it is the only one, as in a run that goes on. The engine then answers other questions.
func TestOneQuestion(t *testing.T) {
	t.Parallel()
	refused := 0
	for name, c := range map[string]struct {
		fault faulty
		says  string
	}{
		"filter": {changed(`"finish_reason":"stop"`, `"finish_reason":"content_filter"`),
			"content filter ended"},
		"filter with words": {changed(`"stop"`, `"content_filter: SAFETY"`), "content_filter: SAFETY): "},
		"error": {status(200, `{"error":{"message":"overloaded 4711","code":502}}`),
			"error: overloaded 4711"},
		"error as text":     {status(200, `{"error":"no such thing"}`), "no such thing"},
		"error of vLLM":     {status(200, `{"object":"error","message":"bad input","code":40}`), "bad input"},
		"error filter":      {status(200, `{"error":{"message":"not this","code":"content_filter"}}`), "not this"},
		"error of a choice": {changed(`"index":0`, `"index":0,"error":{"message":"upstream died"}`), "upstream died"},
		"cut in reasoning": {status(200, `{"model":"m","choices":[{"index":0,"finish_reason":"length","message":`+
			`{"content":"","reasoning_content":"hm"}}],"usage":{"prompt_tokens":9,"completion_tokens":3}}`),
			"it was cut off after 3 tokens"},
		"cut early":  {changed(`"finish_reason":"stop"`, `"finish_reason":"length"`), "it was cut off after 3 tokens"},
		"aborted":    {changed(`"finish_reason":"stop"`, `"finish_reason":"abort"`), `reason "abort"`},
		"no text":    {changed(`"message"`, `"massage"`), "has no text"},
		"no JSON":    {status(200, "<html>"), "not the JSON"},
		"broken":     {status(500, `{"error":"template: no such role"}`), "no such role"},
		"bad":        {status(400, `{"error":{"message":"flagged","code":"invalid_prompt"}}`), "flagged"},
		"bad fields": {status(422, `{"detail":"too many letters"}`), "too many letters"},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t, vLLM)
			requests := questions(3)
			f.spoils, f.spoilt = requests[1].Messages[len(requests[1].Messages)-1].Content, c.fault
			e, kept := open(t, fast(), f)
			for _, asked := range [][]inference.Request{requests[1:2], requests} {
				replies, err := ask(t.Context(), e, asked)
				if err != nil {
					t.Fatal(err)
				}
				for i, r := range asked {
					switch bad := r.Messages[0].Content == requests[1].Messages[0].Content; {
					case !bad && replies[i].Text != textOf(r):
						t.Errorf("%d: another question's failure leaves this reply: got %+v", i, replies[i])
					case bad && (replies[i].Err == nil || !strings.Contains(replies[i].Err.Error(), c.says)):
						t.Errorf("%v, want %q", replies[i].Err, c.says)
					case bad:
						refused++
					}
				}
			}
			if len(kept.all) != 2 {
				t.Errorf("%d records, want 2", len(kept.all))
			}
		})
	}
	if refused != 30 {
		t.Errorf("%d replies failed, want 30", refused)
	}
}

// key is the key of a request.
func (e *Engine) key(t *testing.T, r inference.Request) string {
	t.Helper()
	q, err := e.questionOf(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return e.keyOf(q)
}

// TestTLS: a certificate that nobody vouches for, and a server without TLS, are named as what they are.
func TestTLS(t *testing.T) {
	t.Parallel()
	plain := start(t, vLLM)
	secret := &fake{program: vLLM}
	secret.Server = httptest.NewUnstartedServer(secret)
	secret.Config.ErrorLog = log.New(io.Discard, "", 0)
	secret.TLS = &tls.Config{MinVersion: tls.VersionTLS13}
	secret.StartTLS()
	defer secret.Close()
	for url, want := range map[string]string{secret.URL: "SSL_CERT_FILE", "https" + plain.URL[4:]: "write the URL so"} {
		t.Run(url, func(t *testing.T) {
			if _, err := Open(t.Context(), url, fast()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want an error with %v", url, err, want)
			}
		})
	}
}

// TestManyFaults asks two servers a hundred questions, of which a fifth of the exchanges fail in passing, and one of
// the servers dies for good: all replies are what one healthy server says.
func TestManyFaults(t *testing.T) {
	t.Parallel()
	names := make([]string, 0, len(passing))
	for name := range passing {
		names = append(names, name)
	}
	slices.Sort(names)
	chance := rand.New(rand.NewPCG(1, 2))
	a, b := start(t, vLLM), start(t, vLLM)
	for _, f := range []*fake{a, b} {
		for range 100 {
			f.faults = append(f.faults, nil)
			if chance.IntN(4) == 0 { // seldom enough that no question meets six of them in a row
				f.faults = append(f.faults, passing[names[chance.IntN(len(names))]])
			}
		}
	}
	o := fast()
	o.Patience, o.Parallel = time.Minute, 8
	e, kept := open(t, o, a, b)
	requests := questions(100)
	go func() {
		for a.asked.Load() < 20 {
			time.Sleep(time.Millisecond)
		}
		a.CloseClientConnections()
		a.Close()
	}()
	replies, err := ask(t.Context(), e, requests)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range replies {
		if r.Text != textOf(requests[i]) {
			t.Errorf("%d: %+v, want r.Text = %v", i, r, textOf(requests[i]))
		}
	}
	checkRecords(t, kept, replies)
}
