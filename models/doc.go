// Package models knows GGUF files: what they contain, where they are, the one that is embedded in the program, and how
// to write one with random weights. It never runs a model.
//
// Lifecycle: Resolve a name to a path, Inspect the file, hand the path to an engine. Nothing is held open.
package models
