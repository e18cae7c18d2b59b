package record

import (
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Meter measures how large a journal would be without writing it. Several goroutines may use it.
type Meter struct {
	mu      sync.Mutex // guards all fields
	encoder *zstd.Encoder
	buffer  []byte
	last    chain
	bytes   int64
}

// NewMeter returns a Meter of an empty journal.
func NewMeter() (*Meter, error) {
	encoder, err := newEncoder()
	if err != nil {
		return nil, err
	}
	return &Meter{encoder: encoder}, nil
}

// Append adds the size that the records would have as one frame.
func (m *Meter) Append(records ...any) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	lines, last, err := encode(m.last, records)
	if err != nil {
		return err
	}
	m.last = last
	m.buffer = m.encoder.EncodeAll(lines, m.buffer[:0])
	m.bytes += int64(len(m.buffer))
	return nil
}

// Bytes returns the size so far.
func (m *Meter) Bytes() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bytes
}
