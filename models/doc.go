// Package models knows GGUF files: what is in them, where they are, the one that the program brings along, and how to
// write one with random weights. It never runs them.
//
// Lifecycle: Resolve a name to a path, Inspect the file, hand the path to an engine. Nothing is held open.
package models
