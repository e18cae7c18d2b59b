package parquetfile

import (
	"encoding/binary"
	"errors"
)

// skim walks over values of Thrift's compact protocol, in which Parquet writes its headers, without keeping them. The
// library makes room for as many elements as a list claims to have, so skim refuses a list that claims more elements
// than bytes follow.
type skim struct {
	rest     []byte
	elements int // of lists and maps so far
}

const (
	mostElements = 200_000
	mostThrift   = 32 // levels of structs and lists
)

var errThrift = errors.New("a header is damaged")

// Types of the compact protocol. 1 and 2 are true and false, 4 to 6 are integers of variable length.
const (
	thriftByte   = 3
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// structure walks over the fields of a struct and its closing zero.
func (s *skim) structure(depth int) error {
	if depth > mostThrift {
		return errThrift
	}
	for {
		head, err := s.byte()
		if err != nil || head == 0 {
			return err
		}
		if head>>4 == 0 { // the field's number follows
			if _, err := s.number(); err != nil {
				return err
			}
		}
		if kind := head & 15; kind > 2 { // the type of a boolean field is its value
			if err := s.value(kind, depth); err != nil {
				return err
			}
		}
	}
}

// value walks over a value that is not a boolean field.
func (s *skim) value(kind byte, depth int) error {
	switch kind {
	case 1, 2, thriftByte: // a boolean takes a byte in a list
		return s.bytes(1)
	case 4, 5, 6:
		_, err := s.number()
		return err
	case thriftDouble:
		return s.bytes(8)
	case thriftBinary:
		n, err := s.number()
		if err != nil {
			return err
		}
		return s.bytes(n)
	case thriftList, thriftSet:
		return s.list(depth)
	case thriftMap:
		return s.mapping(depth)
	case thriftStruct:
		return s.structure(depth + 1)
	}
	return errThrift
}

func (s *skim) list(depth int) error {
	head, err := s.byte()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = s.number(); err != nil {
			return err
		}
	}
	return s.repeat(n, depth, head&15)
}

func (s *skim) mapping(depth int) error {
	n, err := s.number()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := s.byte()
	if err != nil {
		return err
	}
	return s.repeat(n, depth, kinds>>4, kinds&15)
}

// repeat walks over n elements, each of one value of every kind.
func (s *skim) repeat(n uint64, depth int, kinds ...byte) error {
	if depth > mostThrift || n > uint64(len(s.rest)) || n > uint64(mostElements-s.elements) {
		return errThrift
	}
	s.elements += int(n)
	for range n {
		for _, kind := range kinds {
			if err := s.value(kind, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *skim) byte() (byte, error) {
	if len(s.rest) == 0 {
		return 0, errThrift
	}
	b := s.rest[0]
	s.rest = s.rest[1:]
	return b, nil
}

func (s *skim) bytes(n uint64) error {
	if n > uint64(len(s.rest)) {
		return errThrift
	}
	s.rest = s.rest[n:]
	return nil
}

func (s *skim) number() (uint64, error) {
	n, size := binary.Uvarint(s.rest)
	if size <= 0 {
		return 0, errThrift
	}
	s.rest = s.rest[size:]
	return n, nil
}
