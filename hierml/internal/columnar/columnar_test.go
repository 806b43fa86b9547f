package columnar

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"
)

// read returns all rows of a file, one slice a column, as testdata/write.py writes values.
func read(data []byte) (map[string][]any, *File, error) {
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, nil, err
	}
	columns := map[string][]any{}
	rows := 0
	for c, err := range f.Chunks(context.Background()) {
		if err != nil {
			return nil, f, err
		}
		rows += c.Rows
		for k, column := range f.Columns() {
			if column.Refused != "" {
				continue
			}
			v := c.Values[k]
			for i := range c.Rows {
				var value any
				switch {
				case v.Missing != nil && v.Missing[i]:
				case column.Kind == Number && math.IsInf(v.Numbers[i], 0):
					value = map[bool]string{true: "inf", false: "-inf"}[v.Numbers[i] > 0]
				case column.Kind == Number:
					value = v.Numbers[i]
				case column.Kind == Bool:
					value = v.Bools[i]
				case column.Kind == Lists:
					list := make([]any, len(v.Lists[i]))
					for k, word := range v.Lists[i] {
						list[k] = word
					}
					value = list
				default:
					value = v.Texts[i]
				}
				columns[column.Name] = append(columns[column.Name], value)
			}
		}
	}
	if f.Rows() >= 0 && f.Rows() != int64(rows) {
		return nil, f, fmt.Errorf("there are %d rows, and Rows is %d", rows, f.Rows())
	}
	return columns, f, nil
}

// TestWritten compares the values of files that pyarrow, pandas and polars wrote with those that
// they read from them.
func TestWritten(t *testing.T) {
	var expected map[string]map[string]any
	content, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &expected); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/*.[pfa][are]*")
	if err != nil || len(files) != len(expected) {
		t.Fatalf("there are %d files, and values of %d (%v)", len(files), len(expected), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !Is(data[:8]) {
				t.Error("Is is false")
			}
			got, f, err := read(data)
			if err != nil {
				t.Fatal(err)
			}
			want := expected[filepath.Base(file)]
			if len(f.Columns()) != len(want) {
				t.Errorf("there are %d columns in place of %d", len(f.Columns()), len(want))
			}
			for _, c := range f.Columns() {
				switch values := want[c.Name].(type) {
				case string:
					if c.Refused == "" {
						t.Errorf("column %s (%s) is not refused", c.Name, c.Type)
					}
				case map[string]any:
					if float64(len(got[c.Name])) != values["rows"] {
						t.Fatalf("column %s has %d rows in place of %v", c.Name, len(got[c.Name]), values["rows"])
					}
					for k, v := range values["some"].(map[string]any) {
						i, _ := strconv.Atoi(k)
						if !reflect.DeepEqual(got[c.Name][i], v) {
							t.Errorf("column %s, row %d: %#v in place of %#v", c.Name, i, got[c.Name][i], v)
						}
					}
				case []any:
					if c.Refused != "" {
						t.Errorf("column %s is refused: %s", c.Name, c.Refused)
					} else if !reflect.DeepEqual(got[c.Name], values) {
						t.Errorf("column %s (%s):\n%v\nin place of\n%v", c.Name, c.Type, got[c.Name], values)
					}
				}
			}
		})
	}
}

// TestRefused holds what is said of files and columns that are not read.
func TestRefused(t *testing.T) {
	for content, want := range map[string]string{
		"label,text\na,b\n":        `this is neither Parquet nor Arrow: it begins with "label,te"`,
		"":                         `this is neither Parquet nor Arrow: it begins with ""`,
		"PARE....PARE":             "the file is encrypted; write it without encryption",
		"FEA1....FEA1":             "this is Feather of version 1; write it again with DataFrame.to_feather, which writes version 2",
		"PAR1\xff\xff\xff\x7fPAR1": "the file is damaged or incomplete: its metadata would have 2147483647 of its 12 bytes",
	} {
		if _, _, err := read([]byte(content)); err == nil || err.Error() != want {
			t.Errorf("%q: %v in place of %s", content, err, want)
		}
	}
	f, err := Open(bytes.NewReader(written(t, 1<<20)["snappy.parquet"]), int64(len(written(t, 1<<20)["snappy.parquet"])))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Columns() {
		if c.Name == "map" && c.Refused != refusal("maps") || c.Name == "vector" && c.Refused != refusal("lists of float64") {
			t.Errorf("column %s: %s", c.Name, c.Refused)
		}
	}
}

// TestRounded counts the integers that a float64 does not hold: of 2^53-2+k and 2^64-1-k, for k
// from 0 to 39 without every seventh.
func TestRounded(t *testing.T) {
	for name, data := range map[string][]byte{"parquet": written(t, 1<<20)["snappy.parquet"], "arrow": written(t, 1<<20)["plain.feather"]} {
		f, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		rounded := map[string]int{}
		for c, err := range f.Chunks(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			for k, column := range f.Columns() {
				rounded[column.Name] += c.Values[k].Rounded
			}
		}
		want := map[string]int{"int64": 0, "uint64": 0, "int32": 0, "full": 0}
		for k := range 40 {
			if k%7 == 3 {
				continue
			}
			if k > 2 && k%2 == 1 {
				want["int64"]++
			}
			want["uint64"]++ // the last 11 of its 64 bits are not all zero
		}
		for column, n := range want {
			if rounded[column] != n {
				t.Errorf("%s: column %s has %d rounded values in place of %d", name, column, rounded[column], n)
			}
		}
	}
}

// TestStopped ends the reading with its context.
func TestStopped(t *testing.T) {
	data := written(t, 1<<20)["many.parquet"]
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	chunks := 0
	for _, err := range f.Chunks(ctx) {
		chunks++
		if chunks == 2 && !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
		cancel()
	}
	if chunks != 2 {
		t.Errorf("there are %d chunks", chunks)
	}
}
