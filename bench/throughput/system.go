package throughput

import "context"

// System is what is measured: our engine, or a peer. The calls of one run come in the order Start; Begin, Join for
// each debate, Generate and Leave of the clients, Lap; for a second pass over the same prompts Begin to Lap again;
// Stop. What is asked for before Begin is not measured.
type System interface {
	Name() string
	// Start begins a run from nothing: the system has no prompt in its cache.
	Start(ctx context.Context) error
	// Join announces a debate. All join before the first of them asks for anything.
	Join(order int) Client
	// Begin begins what Lap returns: what is used from here on.
	Begin()
	Lap() Usage
	// Stop ends the run.
	Stop() error
}

// Client is one debate's access to a system.
type Client interface {
	// Generate hands in requests that do not depend on each other, and waits for all of them.
	Generate(ctx context.Context, requests []Request) ([]Reply, error)
	Leave()
}

// Request asks for one reply. Requests with equal prompts and seeds are equal.
type Request struct {
	Prompt []int32
	Tokens int // to generate, neither more nor fewer
	Seed   uint64
	Agent  int
	Slot   int // 1 plus the slot of the peer that holds this agent's history; 0 if there is none
}

// Reply is what was generated.
type Reply struct {
	Tokens []int32
	Slot   int // 1 plus the slot of the peer
}
