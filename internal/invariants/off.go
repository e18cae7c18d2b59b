//go:build !invariants

// Package invariants says whether this build checks its own books while it works. A build with -tags invariants does,
// and panics where they are wrong; in any other the constant folds the checks away.
package invariants

// Enabled is true in builds with -tags invariants.
const Enabled = false
