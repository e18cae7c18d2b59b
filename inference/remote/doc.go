// Package remote is an engine whose model is computed by servers: vLLM, SGLang, llama-server, Ollama, parley serve, and
// whatever else speaks OpenAI's HTTP protocol.
//
// # Order of calls
//
// Open looks at the servers of an address (address.go, probe.go): which program each is, which model it serves, how
// much it takes at once. A request becomes a job, which requests with an equal key share (job.go). The job waits for
// a place at a server (pool.go), alone or with jobs that differ in their seeds alone (choices.go), sends a body
// (wire.go) and reads the answer (answer.go, scores.go); what fails in passing is tried again (retry.go).
//
// # What is promised
//
// Of the promises of inference.Engine, a server cannot keep the last: its reply may depend on what else it computes.
// Records say so (inference.Elsewhere). What is recorded is what a server said: an answer that is cut off, of another
// model, of other counts than were asked for, or otherwise not what the protocol demands, is an error and no record.
//
// # Keys
//
// API keys come from the environment (address.go). They are sent to the server that they are for, over no redirection,
// and stand in no record, error or log: texts of servers that repeat one lose it.
package remote
