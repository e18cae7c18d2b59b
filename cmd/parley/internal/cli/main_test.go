package cli_test

import (
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
)

// TestMain has tests run the whole program, and two that end early.
func TestMain(m *testing.M) {
	parleytest.Main(m, map[string]func(){"parley-panics": panics, "parley-interrupted": interruptedEarly})
}
