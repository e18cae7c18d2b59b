package parquetfile

import (
	"fmt"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Forms of ISO 8601. A fraction of a second has as many digits as it needs.
const (
	clockForm  = "15:04:05.999999999"
	momentForm = "2006-01-02T15:04:05.999999999"
	utcForm    = momentForm + "Z"
)

// moment writes a time of the years that have four digits.
func moment(t time.Time, form string) (any, error) {
	t = t.UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		return nil, fmt.Errorf("is a time in the year %d; those from 1 to 9999 are read", t.Year())
	}
	return t.Format(form), nil
}

// ticks returns how many of a unit make a second, 0 for an unknown unit.
func ticks(u format.TimeUnit) int64 {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return 1e3
	case *format.MicroSeconds:
		return 1e6
	case *format.NanoSeconds:
		return 1e9
	}
	return 0
}

// at returns the time that many units after the beginning of 1970.
func at(units, perSecond int64) time.Time {
	seconds, rest := units/perSecond, units%perSecond // a negative rest is a part of a second before
	return time.Unix(seconds, rest*(1e9/perSecond))
}

// timeOfDay converts times of a day. Writers mark nearly all of them as UTC, so no zone is written.
func timeOfDay(kind parquet.Kind, t *format.TimeType, wrong error) (converter, error) {
	perSecond := ticks(t.Unit)
	whole := kind == parquet.Int64 || kind == parquet.Int32
	if !whole || perSecond == 0 || (kind == parquet.Int32) != (perSecond == 1e3) {
		return nil, wrong
	}
	return func(v parquet.Value) (any, error) {
		units := v.Int64()
		if kind == parquet.Int32 {
			units = int64(v.Int32())
		}
		if units < 0 || units >= 86400*perSecond {
			return nil, fmt.Errorf("is no time of a day: %d of %d units", units, 86400*perSecond)
		}
		return at(units, perSecond).UTC().Format(clockForm), nil
	}, nil
}

// timestamp converts points in time: with Z if they are UTC, without a zone if they are local.
func timestamp(kind parquet.Kind, t *format.TimestampType, wrong error) (converter, error) {
	perSecond, form := ticks(t.Unit), momentForm
	if t.IsAdjustedToUTC {
		form = utcForm
	}
	return only(kind == parquet.Int64 && perSecond > 0, wrong, func(v parquet.Value) (any, error) {
		return moment(at(v.Int64(), perSecond), form)
	})
}

// int96 converts what older programs write for a time: nanoseconds of a day, and the day by the Julian count.
func int96(v parquet.Value) (any, error) {
	const epoch = 2440588 // 1970-01-01
	n := v.Int96()
	nanoseconds := int64(n[0]) | int64(n[1])<<32
	if nanoseconds < 0 || nanoseconds >= 86400e9 {
		return nil, fmt.Errorf("is no time of a day: %d nanoseconds", nanoseconds)
	}
	return moment(time.Unix((int64(n[2])-epoch)*86400, nanoseconds), momentForm)
}
