package show_test

import (
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
)

// TestMain has tests run the whole program.
func TestMain(m *testing.M) { parleytest.Main(m, nil) }
