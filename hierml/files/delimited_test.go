package files

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// FuzzDelimited reads rows as package encoding/csv reads them: the same fields at the same places,
// and the same errors.
func FuzzDelimited(f *testing.F) {
	for _, text := range []string{
		"a,b\n1,2\n", "a,b\r\n1,\"x, y\"\r\n\r\n3,4", "a,b\n\"x\"\"y\",2\n\"l\nm\",3\n4,5\n", "a,b\nx\"y,2\n1,2\n", "a,b\n\"x\"y,2\n1,2,3\n1\n", "a\n\"\n", "a,b\n,\n\"\",\n", "é,\xff\n\xff,é\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := textfile.Open(strings.NewReader(text), "fuzz", syntaxError)
		if err != nil {
			return
		}
		var faults Faults
		got, err := openDelimited(file, ',', &faults, "Table")
		plain := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
		_, plainErr := plain.Read()
		if (err == nil) != (plainErr == nil) {
			t.Fatalf("titles: %v, want %v", err, plainErr)
		}
		for err == nil {
			row, plainErr := plain.Read()
			err = got.nextRow()
			var syntax *csv.ParseError
			switch {
			case errors.As(plainErr, &syntax):
				if !errors.Is(err, errLeftOut) || got.line != syntax.StartLine {
					t.Fatalf("%v at line %d, want %v", err, got.line, plainErr)
				}
				err = nil
				continue
			case errors.Is(plainErr, io.EOF):
				if !errors.Is(err, io.EOF) {
					t.Fatalf("%v at the end", err)
				}
				return
			case plainErr != nil || err != nil:
				t.Fatalf("%v, want %v", err, plainErr)
			}
			if !slices.EqualFunc(got.fields, row, func(a []byte, b string) bool { return string(a) == b }) {
				t.Fatalf("%q, want %q", got.fields, row)
			}
			for k := range row {
				line, at := plain.FieldPos(k)
				if gotLine, gotAt := got.place(k); gotLine != line || gotAt != at {
					t.Fatalf("field %d at %d:%d, want %d:%d", k, gotLine, gotAt, line, at)
				}
			}
		}
	})
}

// FuzzObjects reads rows of JSON objects as package encoding/json reads them, with the same errors.
func FuzzObjects(f *testing.F) {
	for _, text := range []string{
		`{"a":1,"b":"x"} {"b":null,"a":-0.5e3}`, `[{"a":["x","y"]},{"a":[],"c":true}]`, `[{"a":"x\n\u00e9\ud800"},{"a":1,"a":2}]`, `{"a":01}`, `{"a":1.}`, `{"a":{}}`, `{"a":[1]}`, `{"a":"x`, `[{"a":1}{"a":2}]`, "{\"a\":\"\x01\"}", "{\"a\":\"\xff\"}", `{"a":1e999}`, `{}{"b":tru}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read := func(decoder bool) string {
			file, err := textfile.Open(strings.NewReader(text), "fuzz", syntaxError)
			if err != nil {
				return err.Error()
			}
			rows := newJSONRows(file, strings.HasPrefix(strings.TrimSpace(text), "["))
			if decoder {
				rows.in.left = textfile.MaxLine
				if err := rows.decode(); err != nil {
					return rows.place(err).Error()
				}
			}
			columns, err := rows.next(-1)
			var b strings.Builder
			for k := range columns {
				columns[k].unpack()
				fmt.Fprintf(&b, "%q: %q %v %q\n", columns[k].name, columns[k].words, columns[k].numbers, columns[k].sets)
			}
			fmt.Fprint(&b, err)
			return b.String()
		}
		if got, want := read(false), read(true); got != want {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	})
}
