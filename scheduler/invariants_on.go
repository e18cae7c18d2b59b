//go:build invariants

package scheduler

const checked = true
