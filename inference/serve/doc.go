// Package serve answers OpenAI's HTTP protocol with the models of an engine, so that programs that know only that
// protocol run on Parley's prefix tree unchanged. docs/serve.md says what each field means.
//
// # Order of calls
//
// New makes a Server of an engine, which is an http.Handler; Listen opens a port, and Serve answers on it until its
// context ends, lets what is under way finish, and returns. The engine is closed after that, by its owner.
//
// # What a reply depends on
//
// Clients come by the clock, so the clock shapes batches; it never changes a reply. That follows from the engine's
// promise that a reply does not depend on what else is asked (for a model and machine for which it holds), and from
// three rules of this package: a stop text cuts a generation and is no part of it; a request without a seed gets one
// from its content and from how often its session has asked the same; and no body holds a time, a random number, or
// anything about the cache.
//
// # Life of a request
//
// Package wire reads the body and refuses, by name, what would have no effect. Its settings become one generation.Spec
// for each choice, with the tokens of a served.Model. A generation waits at the gate until its key's turn
// (draw.go), and a generation.Choice hands on what the engine draws for it, token by token, cut at the first stop text;
// how a token is written is a matter of the endpoint. When the client goes, the choice is given up before the next
// step.
package serve
