package parquetfile

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The Parquet library believes what a file says of itself: it makes room for a footer of 4 GB, for lists of any length,
// for pages of any size and for whatever a compressed page unpacks to. All of these are therefore checked before it
// reads a page.
const (
	maxFooterBytes   = 16 << 20
	maxUnpackedBytes = 256 << 20 // of all pages, and of all texts
	maxParquetValues = 10_000_000
)

// checkFooter bounds the footer, which describes the columns of a file, and the lists in it.
func checkFooter(file io.ReaderAt, bytes int64) error {
	if bytes < 12 {
		return errors.New("is cut off")
	}
	var tail [8]byte
	if _, err := file.ReadAt(tail[:], bytes-8); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	size := int64(binary.LittleEndian.Uint32(tail[:]))
	if size > bytes-12 || size > maxFooterBytes {
		return fmt.Errorf("a footer of %d bytes in a file of %d: at most %d are read", size, bytes, maxFooterBytes)
	}
	s := skim{rest: make([]byte, size)}
	if _, err := file.ReadAt(s.rest, bytes-8-size); err != nil {
		return err
	}
	return s.structure(0)
}

// checkPages walks over all pages of a file of at most most rows and unpacks each of them once, up to the size in its
// header.
func checkPages(file *parquet.File, content []byte, most int64) error {
	if rows := file.NumRows(); rows < 0 || rows > most {
		return fmt.Errorf("%d rows: at most %d are read", rows, most)
	}
	var p pages
	for _, group := range file.Metadata().RowGroups {
		for _, column := range group.Columns {
			if err := p.column(content, column.MetaData); err != nil {
				return err
			}
		}
	}
	return nil
}

// pages adds up the sizes of the pages of a file.
type pages struct {
	protocol         thrift.CompactProtocol
	unpacked, values int64
}

// column checks the pages of one column in one group of rows.
func (p *pages) column(content []byte, m format.ColumnMetaData) error {
	from := m.DataPageOffset
	if m.DictionaryPageOffset > 0 {
		from = min(from, m.DictionaryPageOffset)
	}
	if from < 4 || m.TotalCompressedSize < 0 || from > int64(len(content)) ||
		m.TotalCompressedSize > int64(len(content))-from {
		return fmt.Errorf("a column of %d bytes at %d in a file of %d", m.TotalCompressedSize, from, len(content))
	}
	if m.NumValues < 0 || m.NumValues > maxParquetValues {
		return fmt.Errorf("a column of %d values: at most %d are read", m.NumValues, maxParquetValues)
	}
	for chunk := content[from : from+m.TotalCompressedSize]; len(chunk) > 0; {
		header, size, err := p.header(chunk)
		if err != nil {
			return err
		}
		body := chunk[size:]
		if n := int(header.CompressedPageSize); n < 0 || n > len(body) || header.UncompressedPageSize < 0 {
			return fmt.Errorf("a page of %d bytes (%d unpacked), but only %d bytes are left", n,
				header.UncompressedPageSize, len(body))
		}
		if err := p.page(header, body[:header.CompressedPageSize], m.Codec); err != nil {
			return err
		}
		chunk = body[header.CompressedPageSize:]
	}
	return nil
}

// header reads the header of the page at the beginning of a chunk, and returns its size.
func (p *pages) header(chunk []byte) (h format.PageHeader, size int, err error) {
	s := skim{rest: chunk}
	if err := s.structure(0); err != nil {
		return h, 0, err
	}
	size = len(chunk) - len(s.rest)
	return h, size, thrift.Unmarshal(&p.protocol, chunk[:size], &h)
}

// page counts a page and unpacks it, to make sure that it is not longer than its header says.
func (p *pages) page(h format.PageHeader, body []byte, codec format.CompressionCodec) error {
	values, levels, packed := valuesOf(h)
	if values < 0 || levels < 0 || levels > len(body) || levels > int(h.UncompressedPageSize) {
		return fmt.Errorf("a page of %d values with %d bytes of levels", values, levels)
	}
	p.values += values
	p.unpacked += int64(h.UncompressedPageSize)
	if p.values > maxParquetValues || p.unpacked > maxUnpackedBytes {
		return fmt.Errorf("%d values, %d bytes unpacked: at most %d and %d are read", p.values, p.unpacked,
			maxParquetValues, maxUnpackedBytes)
	}
	if !packed {
		codec = format.Uncompressed
	}
	return unpacksTo(codec, body[levels:], int(h.UncompressedPageSize)-levels)
}

// valuesOf returns how many values a page has, how many bytes of uncompressed levels precede them, and whether the
// values are compressed.
func valuesOf(h format.PageHeader) (values int64, levels int, packed bool) {
	switch {
	case h.DataPageHeaderV2.Valid:
		v := h.DataPageHeaderV2.V
		if v.DefinitionLevelsByteLength < 0 || v.RepetitionLevelsByteLength < 0 {
			return 0, -1, false
		}
		levels = int(v.DefinitionLevelsByteLength) + int(v.RepetitionLevelsByteLength)
		return int64(v.NumValues), levels, !v.IsCompressed.Valid || v.IsCompressed.V
	case h.DataPageHeader.Valid:
		return int64(h.DataPageHeader.V.NumValues), 0, true
	case h.DictionaryPageHeader.Valid:
		return int64(h.DictionaryPageHeader.V.NumValues), 0, true
	}
	return 0, 0, true
}

// unpacksTo refuses compressed bytes that unpack to more than a size.
func unpacksTo(codec format.CompressionCodec, packed []byte, size int) (err error) {
	n := len(packed)
	switch codec {
	case format.Uncompressed:
	case format.Snappy:
		n, err = snappy.DecodedLen(packed)
	case format.Gzip:
		n, err = unpackedLength(size, func() (io.Reader, error) { return gzip.NewReader(bytes.NewReader(packed)) })
	case format.Zstd:
		n, err = unpackedLength(size, func() (io.Reader, error) {
			return zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1),
				zstd.WithDecoderMaxWindow(maxUnpackedBytes))
		})
	default:
		return fmt.Errorf("is compressed with %v; parquet is read uncompressed or compressed with Snappy, Gzip or Zstd",
			codec)
	}
	if err == nil && n > size {
		err = fmt.Errorf("a page unpacks to more than the %d bytes that its header gives", size)
	}
	return err
}

// unpackedLength returns how many bytes a reader has, or limit+1 if it has more than limit.
func unpackedLength(limit int, open func() (io.Reader, error)) (int, error) {
	r, err := open()
	if err != nil {
		return 0, err
	}
	if z, ok := r.(*zstd.Decoder); ok {
		defer z.Close()
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r, int64(limit)+1))
	return int(n), err
}
