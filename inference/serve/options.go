package serve

import (
	"log/slog"
	"time"

	"github.com/parley-debate/parley/inference/serve/generation"
	"github.com/parley-debate/parley/inference/serve/limits"
	"github.com/parley-debate/parley/inference/serve/wire"
	"github.com/parley-debate/parley/internal/bounds"
)

// Options say who may ask, and how much. Begin with Defaults.
type Options struct {
	Version string // of the program, for /v1/models; "" says nothing

	Names []string // what requests call the engine's models, in its order; the first one needs no name in the engine
	Keys  []string // of which a request has to show one; none if anybody may ask

	MaxBody        int           // bytes of a body: 413
	MaxInFlight    int           // bytes of all requests that are read, wait or are answered: 429, or 413
	MaxChoices     int           // of a request, prompts times n: 400
	MaxWaiting     int           // generations of a key that wait for a place: 429
	MaxConnections int           // at once: 503. 0 for any number
	MaxRemembered  int           // bytes that sessions may take, the same of each key; 0 for any number
	Header         time.Duration // for the header of a request to come: the connection is closed
	Body           time.Duration // for the body to come: 408
	Idle           time.Duration // between two requests of a connection: it is closed
	Reading        time.Duration // for the client to take an event of a stream: the connection is closed
	Drain          time.Duration // for replies under way when the server ends

	// SharePrefixes lets requests of all keys use each other's cached prefixes and kept replies. Whoever has a key can
	// then find out what others asked, by guessing it and looking whether it was cached.
	SharePrefixes bool

	Log *slog.Logger // nil for none

	ReasoningFormat string // of ReasoningFormats, for requests that say none; "" is the first

	PromptDetails bool // usage says how many prompt tokens were not computed; replies then depend on what ran before

	Journal Journal // of finished generations; nil for none
}

// ReasoningFormats are those of llama-server, the usual one first.
var ReasoningFormats = wire.ReasoningFormats

// Journal keeps finished generations. Its methods are called by several goroutines at once.
type Journal interface {
	Known(key string) (generation.Record, bool)
	Keep(generation.Record) error // before the client sees the end of the reply
}

// Defaults returns the bounds of parley serve.
func Defaults() Options {
	return Options{MaxBody: int(limits.BodyBytes.Most), MaxInFlight: int(limits.InFlight.Most),
		MaxChoices: int(limits.Choices.Most), MaxWaiting: int(limits.Waiting.Most),
		MaxConnections: int(limits.Connections.Most), MaxRemembered: int(limits.Remembered.Most),
		Header: limits.Header.Time(), Body: limits.BodyTime.Time(), Idle: limits.Idle.Time(),
		Reading: limits.Reading.Time(), Drain: limits.Drain.Time()}
}

// The ranges of the numbers in Options.
var (
	MaxBodyRange        = bounds.From(1024, 1<<30)
	MaxInFlightRange    = bounds.From(1<<20, 1<<50)
	MaxChoicesRange     = bounds.From(1, 100_000)
	MaxWaitingRange     = bounds.From(0, 1_000_000)
	MaxConnectionsRange = bounds.From(1, 1_000_000)
	DrainRange          = bounds.From(0, 86_400) // seconds
)
