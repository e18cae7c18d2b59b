package parquetfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/soak"
)

func file(t testing.TB, name string) []byte {
	t.Helper()
	return datatest.Read(t, "testdata/"+name)
}

// written is a value as the tests write it: a text in quotes, a number bare, what is not read as its reason.
func written(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case Unreadable:
		return fmt.Sprintf("!%v %s", v.Column, v.Reason)
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, written(e))
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	return fmt.Sprint(v)
}

// TestTypes: every type, in each storage in which two other programs write it, is converted or refused by its name.
// testdata/types.py writes the files.
func TestTypes(t *testing.T) {
	const unread = "which is not read"
	for name, want := range map[string]map[string][]string{
		"pyarrow.parquet": {
			"bool": {"true", "<nil>"}, "int8": {"-4", "<nil>"}, "int64": {"-4000000000", "4"}, "uint8": {"200", "4"},
			"uint16": {"60000", "4"}, "uint32": {"4000000000", "4"}, "uint64": {"18000000000000000000", "4"},
			"half": {"0.1", "-65504"}, "float": {"0.1", "4"}, "double": {"1.5", "!false is NaN, which is no number"},
			"decimal":   {"4.00", "-0.05"},
			"decimal38": {"4.00", "-12345678901234567890123456.05"},
			"decimal76": {"4.00", "-12345678901234567890123456.05"}, "whole": {"4", "-5"},
			"date": {`"2020-01-02"`, `"1903-12-17"`}, "time32": {`"12:30:00"`, "<nil>"},
			"time64": {`"12:30:00.000005"`, "<nil>"}, "time64ns": {`"00:00:01"`, "<nil>"},
			"stamp_ms": {`"2020-01-02T12:30:00.5"`, `"1969-12-31T23:59:59.999"`},
			"stamp_us": {`"2020-01-02T12:30:00.5"`, "<nil>"}, "stamp_ns": {`"2020-01-02T12:30:00.5"`, "<nil>"},
			"stamp_utc": {`"2020-01-02T12:30:00.5Z"`, "<nil>"}, "text": {`"é"`, "<nil>"}, "large": {`"x"`, `"y"`},
			"bytes": {`"x"`, "!false has 1 bytes that are not UTF-8 text"},
			"fixed": {`"ab"`, "!false has 2 bytes that are not UTF-8 text"}, "null": {"<nil>", "<nil>"},
			"enum": {`"x"`, `"y"`}, "uuid": {`"00000000-0000-0000-0000-000000000001"`, "<nil>"},
			"json": {"map[a:[1 x]]", "4"}, "list": {`["a" <nil> "b"]`, "[]"}, "decimals": {"[4.00]", "[]"},
			"lists":       {"!true is a list of lists, " + unread, "!true is a list of lists, " + unread},
			"struct.when": {`"2020-01-02"`, "<nil>"}, "structs.text": {`["a" "b"]`, "[]"},
			"structs.label":       {"[<nil> 1]", "[]"},
			"map.key_value.key":   {"!true is of the type MAP, " + unread, "!true is of the type MAP, " + unread},
			"map.key_value.value": {"!true is of the type MAP, " + unread, "!true is of the type MAP, " + unread},
			"item":                {`"named as a level of lists"`, "<nil>"},
		},
		"pyarrow-integers.parquet": {
			"decimal": {"4.00", "-0.05"}, "decimal38": {"4.00", "-12345678901234567890123456.05"},
			"date":     {`"2020-01-02"`, `"1903-12-17"`},
			"stamp_ms": {`"2020-01-02T12:30:00.5"`, `"1969-12-31T23:59:59.999"`}, "uint32": {"4000000000", "4"},
			"text": {`"é"`, "<nil>"}, "list": {`["a" <nil> "b"]`, "[]"},
		},
		"pyarrow-int96.parquet": {"stamp": {`"2020-01-02T12:30:00.5"`, "<nil>"}},
		"duckdb.parquet": {
			"n": {"1", "2"}, "dec4": {"4.00"}, "dec9": {"-0.05"}, "dec18": {"4.00"},
			"dec38": {"-12345678901234567890123456.05"}, "utinyint": {"200"}, "usmallint": {"60000"},
			"uinteger": {"4000000000"}, "ubigint": {"18000000000000000000"}, "date": {`"2020-01-02"`},
			"time": {`"12:30:00.5"`}, "timestamp": {`"2020-01-02T12:30:00"`}, "ms": {`"2020-01-02T12:30:00"`},
			"ns": {`"2020-01-02T12:30:00.000000001"`}, "utc": {`"2020-01-02T12:30:00Z"`},
			"interval": {"!true is of the type INTERVAL, " + unread + ": store it as text or numbers"},
			"uuid":     {`"00000000-0000-0000-0000-000000000001"`}, "enum": {`"x"`}, "json": {`["a" "b"]`},
			"blob": {`"x"`}, "nan": {"!false is NaN, which is no number"},
			"infinity": {"!false is +Inf, which is no number"}, "list": {`["a" "b"]`}, "decimals": {"[4.00]"},
			"struct.a": {"4"}, "bool": {"true"}, "text": {`"text"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			rows, err := Rows(file(t, name), 10)
			if err != nil || len(rows) != 2 {
				t.Errorf("%s has 2 rows: got %d, %v", name, len(rows), err)
				return
			}
			for i, row := range rows {
				expected, got := map[string]string{}, map[string]string{}
				for column, values := range want {
					expected[column] = values[min(i, len(values)-1)]
				}
				for column, v := range row {
					got[column] = written(v)
				}
				if diff := cmp.Diff(expected, got); diff != "" {
					t.Errorf("%s, row %d, is read as written (-want +got):\n%s", name, i+1, diff)
				}
			}
		})
	}
}

// TestOtherStorages: types and storages that neither of the two programs writes.
func TestOtherStorages(t *testing.T) {
	type table struct {
		Enum    string `parquet:"enum,enum"`
		JSON    string `parquet:"json,json"`
		Decimal int64  `parquet:"decimal,decimal(2:18)"`
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, []table{{"x", "{", -5}, {"y", `"a" "b"`, 400}, {"z", `"\ud800"`, 0}}); err != nil {
		t.Fatal(err)
	}
	rows, err := Rows(b.Bytes(), 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`"x" -0.05 is no JSON, which is its type: unexpected EOF`,
		`"y" 4.00 is no JSON, which is its type: more than one value`, `"z" 0.00 is no JSON, which is its type: line 1, byte 2`} {
		t.Run(want, func(t *testing.T) {
			if got := written(rows[i]["enum"]) + " " + written(rows[i]["decimal"]) + " " +
				rows[i]["json"].(Unreadable).Reason; !strings.HasPrefix(got, want) {
				t.Errorf("row %d: %s, want %s", i+1, got, want)
			}
		})
	}
	group := parquet.Group{"decimal": parquet.Decimal(2, 9, parquet.ByteArrayType), "bson": parquet.BSON()}
	b.Reset()
	w := parquet.NewWriter(&b, parquet.NewSchema("t", group))
	if _, err := w.WriteRows([]parquet.Row{{parquet.ByteArrayValue([]byte("x")).Level(0, 0, 0),
		parquet.ByteArrayValue([]byte{0xfe, 0x70}).Level(0, 0, 1)}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	rows, err = Rows(b.Bytes(), 1)
	if err != nil || written(rows[0]["decimal"]) != "-4.00" ||
		written(rows[0]["bson"]) != "!true is of the type BSON, which is not read: store it as text or numbers" {
		t.Errorf("decimals are read, and BSON is refused with what to do: %v, got %v", err, rows)
	}
}

// TestHalf: every number of 16 bits is written with the digits that name it and no other.
func TestHalf(t *testing.T) {
	seen := map[json.Number]uint16{}
	for bits := range 1 << 16 {
		v, err := half(parquet.FixedLenByteArrayValue([]byte{byte(bits), byte(bits >> 8)}))
		f := halfOf(uint16(bits))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			if err == nil {
				t.Fatalf("%04x is no number, want an error: got %v", bits, v)
			}
			continue
		}
		text := v.(json.Number)
		near, _ := text.Float64()
		if other, twice := seen[text]; twice || err != nil || math.Abs(near-f) > math.Abs(f)/2000+math.Ldexp(1, -25) {
			t.Fatalf("%04x is a number of its own, near %g: got %s (as %04x), %v", bits, f, text, other, err)
		}
		seen[text] = uint16(bits)
	}
}

// TestDecimal: a decimal has the value of its digits, whatever the sign and the number of bytes.
func TestDecimal(t *testing.T) {
	for _, scale := range []int{0, 1, 2, 18, 76} {
		t.Run(fmt.Sprint(scale), func(t *testing.T) {
			c, err := decimal(parquet.ByteArray, scale, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int64{0, 1, -1, 4, 127, -128, 128, 400, -12345, math.MaxInt64, math.MinInt64} {
				for size := 8; size <= mostDecimalBytes; size += 8 {
					bits := new(big.Int).Add(big.NewInt(n), new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
					b := make([]byte, size+1)
					bits.FillBytes(b)
					got, err := c(parquet.ByteArrayValue(b[1:]))
					ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
					want := new(big.Rat).SetFrac(big.NewInt(n), ten).FloatString(scale)
					if err != nil || fmt.Sprint(got) != want {
						t.Errorf("%d of scale %d in %d bytes: %v %v, want %s", n, scale, size, got, err, want)
					}
				}
			}
			for _, wrong := range []int{0, mostDecimalBytes + 1} {
				if v, err := c(parquet.ByteArrayValue(make([]byte, wrong))); err == nil {
					t.Errorf("a decimal of %d bytes was read as %v, want an error", wrong, v)
				}
			}
		})
	}
	for _, scale := range []int{-1, mostScale + 1} {
		t.Run(fmt.Sprint(scale), func(t *testing.T) {
			if _, err := decimal(parquet.Int32, scale, nil); err == nil {
				t.Errorf("a scale of %d was read, want an error", scale)
			}
		})
	}
}

// TestRefusedFiles: what the library would believe or panic at is an error.
func TestRefusedFiles(t *testing.T) {
	type twice struct {
		List []string `parquet:"a,list"`
		Same string   `parquet:"b"`
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, []twice{{[]string{"x"}, "y"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := Rows(b.Bytes(), 0); err == nil || !strings.Contains(err.Error(), "1 rows: at most 0 are read") {
		t.Errorf("a file of 1 row is refused where none is read, as \"1 rows: at most 0 are read\": got %v", err)
	}
	for _, name := range []string{"pyarrow.parquet", "duckdb.parquet"} {
		t.Run(name, func(t *testing.T) {
			content := file(t, name)
			for at := 4; at < len(content); at += 11 {
				damaged := bytes.Clone(content)
				damaged[at] ^= 0x55
				_, _ = Rows(damaged, 10)
				if _, err := Rows(content[:at], 10); err == nil {
					t.Errorf("%s was read though only %d of %d bytes are there, want an error",
						name, at, len(content))
				}
			}
		})
	}
}

// FuzzRows: no damage is more than an error, and every value is one of JSON's or says why it is none.
func FuzzRows(f *testing.F) {
	for _, name := range []string{"pyarrow.parquet", "pyarrow-integers.parquet", "pyarrow-int96.parquet",
		"duckdb.parquet"} {
		f.Add(file(f, name))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		before := soak.Allocated()
		rows, err := Rows(content, 1000)
		if allocated := soak.Allocated() - before; allocated > 1<<30 {
			t.Errorf("%d bytes take at most 1 GiB to read: got %d MB, %v", len(content), allocated>>20, err)
		}
		for _, row := range rows {
			for name, v := range row {
				if number, ok := v.(json.Number); ok {
					if _, err := number.Float64(); err != nil && !strings.Contains(err.Error(), "range") {
						t.Errorf("%s: what was read is a number: got %v", name, v)
					}
				}
			}
		}
	})
}
