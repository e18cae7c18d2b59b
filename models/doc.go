// Package models reads and writes GGUF files: it checks and describes what they contain, holds the one that is embedded
// in the program, and writes ones with random weights. It never runs a model, and never uses the network; package hub
// below it does.
//
// Lifecycle: package stores resolves a name to a path; Inspect the file, hand the path to an engine. Nothing is held
// open.
package models
