package parquetfile

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/parley-debate/parley/internal/plaintext"
)

// converter returns a value as JSON would have it; the value is not null.
type converter func(v parquet.Value) (any, error)

// converterOf returns the converter of a column by its logical type and storage. The error says which type is not read.
func converterOf(e *format.SchemaElement) (converter, error) {
	kind, logical := parquet.Kind(e.Type.V), logicalOf(e)
	wrong := fmt.Errorf("is of the type %v stored as %v, which is not read", name(logical), kind)
	switch t := logical.(type) {
	case nil:
		return plain(kind)
	case *format.StringType, *format.EnumType:
		return textIn(kind, wrong)
	case *format.JsonType:
		return jsonIn(kind, wrong)
	case *format.IntType:
		return integer(kind, t, wrong)
	case *format.DecimalType:
		return decimal(kind, int(t.Scale), wrong)
	case *format.DateType:
		return only(kind == parquet.Int32, wrong, func(v parquet.Value) (any, error) {
			return moment(time.Unix(int64(v.Int32())*86400, 0), "2006-01-02")
		})
	case *format.TimeType:
		return timeOfDay(kind, t, wrong)
	case *format.TimestampType:
		return timestamp(kind, t, wrong)
	case *format.Float16Type:
		return only(kind == parquet.FixedLenByteArray && e.TypeLength.V == 2, wrong, half)
	case *format.UUIDType:
		return only(kind == parquet.FixedLenByteArray && e.TypeLength.V == 16, wrong,
			func(v parquet.Value) (any, error) {
				b := v.ByteArray()
				return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
			})
	case *format.NullType:
		return func(parquet.Value) (any, error) { return nil, nil }, nil
	}
	return nil, fmt.Errorf("is of the type %s, which is not read: store it as text or numbers", name(logical))
}

// interval is the one type that old and new files name by a converted type alone.
type interval struct{ format.NullType }

func (*interval) String() string { return "INTERVAL" }

// name is what a type is called, without its parameters for those that are not read.
func name(t format.LogicalTypeValue) string {
	if t == nil {
		return "BYTES"
	}
	return t.String()
}

// logicalOf returns the logical type of a node, also of files that name it in the older way, or nil if it has none.
func logicalOf(e *format.SchemaElement) format.LogicalTypeValue {
	if e.LogicalType.Value != nil || !e.ConvertedType.Valid {
		return e.LogicalType.Value
	}
	unit := func(u format.TimeUnitValue) format.TimeUnit { return format.TimeUnit{Value: u} }
	switch c := e.ConvertedType.V; c {
	case deprecated.UTF8:
		return &format.StringType{}
	case deprecated.Enum:
		return &format.EnumType{}
	case deprecated.Json:
		return &format.JsonType{}
	case deprecated.Bson:
		return &format.BsonType{}
	case deprecated.Decimal:
		return &format.DecimalType{Scale: e.Scale.V, Precision: e.Precision.V}
	case deprecated.Date:
		return &format.DateType{}
	case deprecated.TimeMillis:
		return &format.TimeType{IsAdjustedToUTC: true, Unit: unit(&format.MilliSeconds{})}
	case deprecated.TimeMicros:
		return &format.TimeType{IsAdjustedToUTC: true, Unit: unit(&format.MicroSeconds{})}
	case deprecated.TimestampMillis:
		return &format.TimestampType{IsAdjustedToUTC: true, Unit: unit(&format.MilliSeconds{})}
	case deprecated.TimestampMicros:
		return &format.TimestampType{IsAdjustedToUTC: true, Unit: unit(&format.MicroSeconds{})}
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return &format.IntType{BitWidth: 8 << (c - deprecated.Uint8)}
	case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		return &format.IntType{BitWidth: 8 << (c - deprecated.Int8), IsSigned: true}
	case deprecated.Interval:
		return &interval{}
	}
	return nil
}

// only returns a converter if the storage is right.
func only(right bool, wrong error, c converter) (converter, error) {
	if !right {
		return nil, wrong
	}
	return c, nil
}

// plain converts a column without a logical type.
func plain(kind parquet.Kind) (converter, error) {
	switch kind {
	case parquet.Boolean:
		return func(v parquet.Value) (any, error) { return v.Boolean(), nil }, nil
	case parquet.Int32, parquet.Int64:
		return func(v parquet.Value) (any, error) { return json.Number(v.String()), nil }, nil
	case parquet.Float:
		return func(v parquet.Value) (any, error) { return number(float64(v.Float()), v.String()) }, nil
	case parquet.Double:
		return func(v parquet.Value) (any, error) { return number(v.Double(), v.String()) }, nil
	case parquet.Int96:
		return int96, nil
	}
	return text, nil
}

func bytesIn(kind parquet.Kind) bool {
	return kind == parquet.ByteArray || kind == parquet.FixedLenByteArray
}

func textIn(kind parquet.Kind, wrong error) (converter, error) {
	return only(bytesIn(kind), wrong, text)
}

func text(v parquet.Value) (any, error) {
	if b := v.ByteArray(); !utf8.Valid(b) {
		return nil, fmt.Errorf("has %d bytes that are not UTF-8 text", len(b))
	}
	return string(v.ByteArray()), nil
}

// jsonIn converts texts of JSON to their value.
func jsonIn(kind parquet.Kind, wrong error) (converter, error) {
	return only(bytesIn(kind), wrong, func(v parquet.Value) (value any, err error) {
		content := v.ByteArray()
		if !utf8.Valid(content) {
			return text(v)
		}
		d := json.NewDecoder(bytes.NewReader(content))
		d.UseNumber()
		if err = d.Decode(&value); err == nil {
			err = plaintext.Escapes(content)
		}
		if err == nil && d.More() {
			err = errors.New("more than one value")
		}
		if err != nil {
			return nil, fmt.Errorf("is no JSON, which is its type: %w", err)
		}
		return value, nil
	})
}

// number refuses what is no number.
func number(f float64, text string) (any, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("is %s, which is no number", text)
	}
	return json.Number(text), nil
}

// integer converts whole numbers. Unsigned ones are stored in the bits of signed ones.
func integer(kind parquet.Kind, t *format.IntType, wrong error) (converter, error) {
	wide := kind == parquet.Int64
	if !wide && kind != parquet.Int32 || wide != (t.BitWidth == 64) {
		return nil, wrong
	}
	return func(v parquet.Value) (any, error) {
		switch {
		case t.IsSigned:
			return json.Number(v.String()), nil
		case wide:
			return json.Number(strconv.FormatUint(uint64(v.Int64()), 10)), nil
		}
		return json.Number(strconv.FormatUint(uint64(uint32(v.Int32())), 10)), nil
	}, nil
}

// mostDecimalBytes bounds decimals: 32 bytes have 76 digits, more than any program writes.
const (
	mostDecimalBytes = 32
	mostScale        = 76
)

// decimal converts decimal numbers, which are stored without their point. All digits of the scale are kept, as in 4.00.
func decimal(kind parquet.Kind, scale int, wrong error) (converter, error) {
	if scale < 0 || scale > mostScale {
		return nil, fmt.Errorf("is a DECIMAL with a scale of %d; at most %d is read", scale, mostScale)
	}
	switch {
	case kind == parquet.Int32:
		return func(v parquet.Value) (any, error) { return insertPoint(big.NewInt(int64(v.Int32())), scale), nil }, nil
	case kind == parquet.Int64:
		return func(v parquet.Value) (any, error) { return insertPoint(big.NewInt(v.Int64()), scale), nil }, nil
	case bytesIn(kind):
		return func(v parquet.Value) (any, error) {
			b := v.ByteArray()
			if len(b) == 0 || len(b) > mostDecimalBytes {
				return nil, fmt.Errorf("is a DECIMAL of %d bytes; 1 to %d are read", len(b), mostDecimalBytes)
			}
			n := new(big.Int).SetBytes(b)
			if b[0]&0x80 != 0 { // a negative number in two's complement
				n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
			}
			return insertPoint(n, scale), nil
		}, nil
	}
	return nil, wrong
}

// insertPoint writes a whole number with a point before its last digits.
func insertPoint(n *big.Int, scale int) json.Number {
	digits := new(big.Int).Abs(n).String()
	if scale > 0 {
		digits = strings.Repeat("0", max(0, scale+1-len(digits))) + digits
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if n.Sign() < 0 {
		digits = "-" + digits
	}
	return json.Number(digits)
}

// half converts numbers of 16 bits: whole ones exactly, others with the fewest digits that name them.
func half(v parquet.Value) (any, error) {
	bits := binary.LittleEndian.Uint16(v.ByteArray())
	f := halfOf(bits)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return number(f, strconv.FormatFloat(f, 'g', -1, 64))
	}
	if f == math.Trunc(f) {
		return json.Number(strconv.FormatFloat(f, 'f', -1, 64)), nil
	}
	gap := math.Abs(halfOf(bits^1) - f) // to a neighbour, which is as far as the other one or nearer
	if bits&0x3ff == 0 && bits&0x7c00 > 0x400 {
		gap /= 2
	}
	for digits := 1; ; digits++ {
		short := strconv.FormatFloat(f, 'g', digits, 64)
		if near, _ := strconv.ParseFloat(short, 64); math.Abs(near-f) < gap/2 || digits == 12 {
			return json.Number(plainly(short)), nil
		}
	}
}

// plainly writes a number without an exponent and without zeros after its last digit.
func plainly(number string) string {
	f, _ := strconv.ParseFloat(number, 64)
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// halfOf decodes a number of 16 bits: a sign, five bits of exponent, ten of fraction.
func halfOf(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&0x3ff)/1024
	f := 0.0
	switch exponent {
	case 0:
		f = math.Ldexp(fraction, -14)
	case 31:
		if f = math.Inf(1); fraction != 0 {
			return math.NaN()
		}
	default:
		f = math.Ldexp(1+fraction, exponent-15)
	}
	if bits&0x8000 != 0 {
		f = -f
	}
	return f
}
