package record

import (
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Meter finds out how large a journal will be, and writes none. It may be used by several goroutines.
type Meter struct {
	mu      sync.Mutex // guards what follows
	encoder *zstd.Encoder
	buffer  []byte
	last    chain
	bytes   int64
}

// NewMeter returns one that has measured nothing.
func NewMeter() (*Meter, error) {
	encoder, err := newEncoder()
	if err != nil {
		return nil, err
	}
	return &Meter{encoder: encoder}, nil
}

// Append adds what records would add to a journal, as one frame.
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

// Bytes is the size so far.
func (m *Meter) Bytes() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bytes
}
