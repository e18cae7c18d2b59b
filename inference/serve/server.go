package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve/admission"
	"github.com/parley-debate/parley/inference/serve/budget"
	"github.com/parley-debate/parley/inference/serve/listen"
	"github.com/parley-debate/parley/inference/serve/served"
	"github.com/parley-debate/parley/inference/serve/session"
	"github.com/parley-debate/parley/inference/serve/wire"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/internal/bug"
)

// Server answers requests with the models of an engine. Its handlers run at the same time, one for each request. The
// fields above ahead never change after New; the others guard themselves. The engine belongs to the caller of New, who
// closes it after Serve has returned: until then generations of this server may be under way.
type Server struct {
	engine   *inference.Local
	options  Options
	models   []*served.Model
	mux      *http.ServeMux
	bodies   *budget.Budget  // of bodies that are read
	turns    *admission.Gate // see holding.prepare
	replies  *budget.Budget  // of generations that wait, run, or are being sent
	tenants  []*tenant
	gate     *admission.Gate
	sessions *session.Counts
	working  sync.WaitGroup // generations under way
	arrived  atomic.Int64   // numbers generations in the order in which they get their places
}

// New makes a server of an engine. Names are what the engine was opened with: a model that is not its first is called
// the same by inference.Also.
func New(engine *inference.Local, options Options) (*Server, error) {
	s := &Server{engine: engine, options: options, mux: http.NewServeMux(),
		turns:   admission.New(runtime.GOMAXPROCS(0), math.MaxInt), // who waits has a connection, and memory
		tenants: tenantsOf(options.Keys, options.SharePrefixes)}
	s.sessions = session.NewCounts(options.MaxRemembered, len(s.tenants))
	var err error
	if s.models, err = served.Open(engine, options.Names); err != nil {
		return nil, err
	}
	if len(s.models) == 0 {
		return nil, errors.New("a server needs the name of at least one model")
	}
	places := 0
	for _, m := range s.models {
		places += m.Vocabulary.Parallel()
	}
	s.bodies = budget.New("bodies that are read at the same time", int64(options.MaxInFlight)/4, len(s.tenants))
	s.replies = budget.New("requests under way", int64(options.MaxInFlight)-s.bodies.Most(), len(s.tenants))
	s.gate = admission.New(places, options.MaxWaiting)
	s.route()
	return s, nil
}

// route registers the handlers. Each path also has an answer for other methods, and the rest of them all one that names
// the documentation. A handler returns an error only if it has written nothing.
func (s *Server) route() {
	for pattern, answer := range map[string]func(http.ResponseWriter, *http.Request) error{
		"POST /v1/chat/completions": s.chat,
		"POST /v1/completions":      s.complete,
		"POST /v1/responses":        s.respond,
		"POST /v1/embeddings":       s.embed,
		"POST /tokenize":            s.tokenize,
		"POST /detokenize":          s.detokenize,
		"GET /tokenizer_info":       s.tokenizerInfo,
		"GET /v1/models":            s.listModels,
		"GET /v1/models/{id...}":    s.showModel,
		"GET /health":               s.health,
		"GET /metrics":              s.showMetrics,
		"DELETE /sessions/{name}":   s.endSession,
	} {
		s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := answer(w, r); err != nil {
				wire.FailureIn(r.Context(), err).Answer(w)
			}
		})
		method, path, _ := strings.Cut(pattern, " ")
		s.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", method)
			(&wire.Failure{Status: http.StatusMethodNotAllowed, Message: path + " takes " + method}).Answer(w)
		})
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		(&wire.Failure{Status: http.StatusNotFound,
			Message: "there is no " + r.URL.Path + " here; docs/serve.md lists what there is"}).Answer(w)
	})
}

// fewCells is how many cells a key needs for a system prompt of the usual length and a conversation.
const fewCells = 2048

// Offer says which models answer and how much, in a line for each.
func (s *Server) Offer() string {
	lines := make([]string, len(s.models))
	for i, m := range s.models {
		lines[i] = fmt.Sprintf("%s: up to %d replies at once, each with its prompt of up to %s tokens", m.ID,
			m.Vocabulary.Parallel(), humanize.Comma(int64(m.Room())))
	}
	return strings.Join(lines, "\n")
}

// Memory says how many bytes requests may take.
func (s *Server) Memory() string {
	const mib = 1 << 20
	return fmt.Sprintf("requests may take %d MiB together, %d MiB of them for bodies that are read (--max-in-flight)",
		(s.bodies.Most()+s.replies.Most())/mib, s.bodies.Most()/mib)
}

// FewCells says how many cells cached prefixes of a key may have, if these are few; otherwise it is "".
func (s *Server) FewCells() string {
	keys := len(s.tenants)
	if each := s.engine.Cells() / keys; keys > 1 && !s.options.SharePrefixes && each < fewCells {
		return fmt.Sprintf("when all %d API keys ask, each has %d cells for what is cached: of longer prompts the "+
			"rest is computed for each request (--context)", keys, each)
	}
	return ""
}

// surplusKey is the key under which the context of a request tells whether its connection is one too many.
type surplusKey struct{}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.logRequest(w, r, s.answer) }

// answer refuses those who may not ask, reads the body, and passes the request on. The order is that of what a stranger
// can cost: a connection, a look at the header, the memory of a body.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	if over, _ := r.Context().Value(surplusKey{}).(bool); over && r.URL.Path != "/health" {
		w.Header().Set("Connection", "close")
		(&wire.Failure{Status: http.StatusServiceUnavailable, After: 1,
			Message: fmt.Sprintf("%d connections are open already; see parley serve --max-connections",
				s.options.MaxConnections)}).Answer(w)
		return
	}
	t, err := s.mayAsk(r)
	if err != nil {
		wire.FailureOf(err).Answer(w)
		return
	}
	r = r.WithContext(context.WithValue(r.Context(), tenantKey{}, t))
	holder := -1 // who asks for the health without a key
	if t != nil {
		holder = t.number
	}
	h := &holding{body: lease(r, s.bodies, holder), reply: lease(r, s.replies, holder)}
	defer h.end()
	if err := s.readBody(w, r, h); err != nil {
		wire.FailureOf(err).Answer(w)
		return
	}
	if len(h.text) > 0 {
		if err := h.prepare(r.Context(), s.turns, holder); err != nil {
			wire.FailureIn(r.Context(), err).Answer(w)
			return
		}
	}
	s.mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), holdingKey{}, h)))
}

// readBody reads the whole body before anything else is done, within its bounds of bytes and time, so that a slow or
// endless body holds no place in the engine. The deadline is taken away at the end: it does not hold for the reply.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, h *holding) error {
	connection := http.NewResponseController(w)
	_ = connection.SetWriteDeadline(time.Time{}) // of an earlier reply of the connection
	if s.options.Body > 0 {
		_ = connection.SetReadDeadline(time.Now().Add(s.options.Body)) // a test's recorder has none
	}
	text, err := wire.ReadBody(r.Body, r.ContentLength, int64(s.options.MaxBody), h.body)
	if err != nil {
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return &wire.Failure{Status: http.StatusRequestTimeout, Message: "the body did not come in time"}
		case wire.FailureOf(err).Status == http.StatusInternalServerError:
			return wire.Invalid("", "the body could not be read: %v", err)
		}
		return err
	}
	_ = connection.SetReadDeadline(time.Time{})
	h.text, h.bytes = text, int64(len(text))
	return nil
}

// mayAsk refuses those who show no key where one is needed, and pages of other sites, whose scripts a browser on this
// machine would let ask. It returns whose request it is. The health of the server is told without a key.
func (s *Server) mayAsk(r *http.Request) (*tenant, error) {
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
			return nil, &wire.Failure{Status: http.StatusForbidden,
				Message: "this server does not answer pages of other sites"}
		}
	}
	if len(s.options.Keys) == 0 {
		if !local(r) {
			return nil, &wire.Failure{Status: http.StatusForbidden,
				Message: "this name may lead here from elsewhere: ask for the server by localhost or its address"}
		}
		return s.tenants[0], nil
	}
	if t := showing(s.tenants, r.Header.Get("Authorization")); t != nil || r.URL.Path == "/health" {
		return t, nil
	}
	return nil, &wire.Failure{Status: http.StatusUnauthorized, Code: "invalid_api_key",
		Message: "the API key is missing or wrong"}
}

// local reports whether a request that came over loopback names a host that can only be this machine. Another name may
// be one that a web page elsewhere has had lead here (DNS rebinding).
func local(r *http.Request) bool {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return true
	}
	if here, err := netip.ParseAddrPort(at.String()); err != nil || !here.Addr().IsLoopback() {
		return true
	}
	name, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		name = r.Host
	}
	ip, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return strings.EqualFold(name, "localhost") || err == nil && ip.IsLoopback()
}

// Serve answers on a listener until ctx ends. Then it takes no new connections, lets replies under way finish for as
// long as Options.Drain says, and gives the rest up.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	// requests do not end with ctx: they have until the end of Drain
	base, giveUp := context.WithCancelCause(context.WithoutCancel(ctx))
	defer giveUp(nil)
	server := &http.Server{Handler: s, ReadHeaderTimeout: s.options.Header, IdleTimeout: s.options.Idle,
		MaxHeaderBytes: 64 << 10, ErrorLog: log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return base },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, surplusKey{}, listen.Surplus(c))
		}}
	if own, ok := l.(*listen.Listener); ok {
		server.ConnState = own.State
	}
	if s.options.Log != nil {
		server.ErrorLog = slog.NewLogLogger(s.options.Log.Handler(), slog.LevelWarn)
	}
	ended := make(chan error, 1)
	stop := context.AfterFunc(ctx, bug.Guarded(func() error {
		last, cancel := context.WithTimeout(base, s.options.Drain)
		defer cancel()
		err := server.Shutdown(last)
		giveUp(step.ErrClosed)
		return errors.Join(err, server.Close())
	}, func(err error) { ended <- err }))
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	err := <-ended
	// the contexts of all requests have ended by now, and with them what the requests had begun
	s.working.Wait()
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("some replies were not finished after %v and were given up; see --drain", s.options.Drain)
	}
	return err
}

// answer writes a JSON body with status 200. It is written as a whole, so that an error leaves the answer unbegun.
func answer(w http.ResponseWriter, body any) error {
	text, err := wire.Compact(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(text, '\n')) // the client has gone if this fails
	return nil
}

// endSession answers DELETE /sessions/{name}, for a session of the asker's key. A session that was never used is ended
// like any other.
func (s *Server) endSession(w http.ResponseWriter, r *http.Request) error {
	name, err := session.Named(tenantOf(r).number, r.PathValue("name"))
	if err != nil {
		return wire.Invalid("", "%v", err)
	}
	s.sessions.Forget(name)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// health answers 200 while the engine computes, and 503 when a step has failed: only a new server helps then.
func (s *Server) health(http.ResponseWriter, *http.Request) error {
	if err := s.engine.Err(); err != nil {
		return &wire.Failure{Status: http.StatusServiceUnavailable,
			Message: fmt.Sprintf("the engine has ended, and the server must be started again: %v", err)}
	}
	return nil
}
