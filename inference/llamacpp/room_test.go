package llamacpp

import "testing"

// TestRoomForCells: cells that lie in two places fit if each part does, and what nobody knows bounds nothing.
func TestRoomForCells(t *testing.T) {
	for _, c := range []struct {
		name                 string
		share                float64
		host, device, expect int64
	}{
		{"no layer on a device", 0, 100, 7, 100},
		{"all layers", 1, 7, 100, 100},
		{"half, the device is scarcer", 0.5, 100, 20, 40},
		{"half, the host is scarcer", 0.5, 20, 100, 40},
		{"a quarter", 0.25, 90, 40, 120},
		{"the device does not say", 0.5, 100, 0, 200},
		{"nobody says", 0.5, 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := roomForCells(c.share, c.host, c.device); got != c.expect {
				t.Errorf("%s: room for %d bytes, want %d", c.name, got, c.expect)
			}
		})
	}
}
