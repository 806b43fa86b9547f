package notebook

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// TestRoundTrip reads a file that Jupyter's nbformat 5.11 has written, with everything the format
// knows and something it does not, and writes it again.
func TestRoundTrip(t *testing.T) {
	path := filepath.Join("testdata", "jupyter.ipynb")
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	nb, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := nb.Write(&got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("written:\n%s\nJupyter wrote:\n%s", got.Bytes(), want)
	}
}

func TestReadOld(t *testing.T) {
	nb, err := Read(strings.NewReader(`{"nbformat": 4, "nbformat_minor": 2, "metadata": {}, "cells": [
		{"cell_type": "code", "metadata": {}, "source": "x", "execution_count": null, "outputs": []},
		{"cell_type": "markdown", "metadata": {}, "source": ["a\n", "b"]}]}`), "old.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := nb.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := Read(&b, "new.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	if again.Minor != 5 {
		t.Errorf("written as format 4.%d, want 4.5", again.Minor)
	}
	if a, b := again.Cells[0].ID, again.Cells[1].ID; len(a) != 8 || len(b) != 8 || a == b {
		t.Errorf("the cells have the ids %q and %q, want two of eight characters", a, b)
	}
	if got := again.Cells[1].Source; got != "a\nb" {
		t.Errorf("source %q", got)
	}
}

func TestBroken(t *testing.T) {
	whole := func(cell string) string {
		return "{\"nbformat\": 4, \"nbformat_minor\": 5, \"metadata\": {},\n\"cells\": [\n" + cell + "\n]}"
	}
	code := func(outputs string) string {
		return whole(`{"cell_type": "code", "id": "a", "metadata": {}, "source": [], "execution_count": 1, "outputs": [` + outputs + `]}`)
	}
	for _, test := range []struct{ name, text, want string }{
		{"empty", " \n", `f:1:1: the file is empty; a notebook is a JSON object`},
		{"mark", "\xef\xbb\xbf{}", `f:1:1: the file begins with a byte order mark. Save it as UTF-8 without one`},
		{"cut", "{\"cells\": [\n", `f:2:1: this is not JSON: unexpected end of JSON input`},
		{"comma", "{\n \"a\": 1,\n}", `f:3:1: this is not JSON: invalid character '}' looking for beginning of object key string`},
		{"merge", "{\n<<<<<<< HEAD\n", `f:2:1: this is not JSON: invalid character '<' looking for beginning of object key string; the file has conflict markers of a merge`},
		{"list", `[1]`, `f:1:1: a notebook is a JSON object; this is a list`},
		{"other", `{"a": 1}`, `f:1:1: not a notebook: the field "nbformat" is missing`},
		{"old", `{"nbformat": 3}`, "f:1:14: nbformat: format 3 is too old. Convert the file with `jupyter nbconvert --to notebook --inplace FILE`"},
		{"new", `{"nbformat": 5}`, `f:1:14: nbformat: format 5 is newer than 4, which is supported. Save the file in format 4`},
		{"word", `{"nbformat": "4"}`, `f:1:14: nbformat: expected a whole number that is not negative`},
		{"minor", `{"nbformat": 4}`, `f:1:1: the field "nbformat_minor" is missing`},
		{"metadata", `{"nbformat": 4, "nbformat_minor": 5, "metadata": []}`, `f:1:50: metadata: expected an object; this is a list`},
		{"cells", `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": null}`, `f:1:63: cells: expected a list; this is null`},
		{"number", whole(`7`), `f:3:1: cells[0]: expected an object; this is a number`},
		{"type", whole(`{"id": "a"}`), `f:3:1: cells[0]: the field "cell_type" is missing`},
		{"heading", whole(`{"cell_type": "heading"}`), `f:3:15: cells[0].cell_type: "heading" is not one of code, markdown, raw`},
		{"source", whole(`{"cell_type": "raw", "id": "a", "metadata": {}}`), `f:3:1: cells[0]: the field "source" is missing`},
		{"source kind", whole(`{"cell_type": "raw", "source": true}`), `f:3:32: cells[0].source: expected a text, as a string or a list of lines; this is a boolean`},
		{"source line", whole(`{"cell_type": "raw", "source": ["a", 1]}`), `f:3:38: cells[0].source[1]: a line of text is a string; this is a number`},
		{"no id", whole(`{"cell_type": "raw", "metadata": {}, "source": ""}`), `f:3:1: cells[0]: the field "id" is missing`},
		{"bad id", whole(`{"cell_type": "raw", "id": "a b", "metadata": {}, "source": ""}`), `f:3:28: cells[0].id: the id "a b" is not one to 64 letters, digits, - and _`},
		{"same id", whole(`{"cell_type": "raw", "id": "a", "metadata": {}, "source": ""},` + "\n" + `{"cell_type": "raw", "id": "a", "metadata": {}, "source": ""}`),
			`f:4:28: cells[1].id: the id "a" is also that of cells[0]`},
		{"outputs", whole(`{"cell_type": "code", "id": "a", "metadata": {}, "source": "", "execution_count": null}`), `f:3:1: cells[0]: the field "outputs" is missing`},
		{"count", whole(`{"cell_type": "code", "id": "a", "metadata": {}, "source": "", "execution_count": -1, "outputs": []}`), `f:3:83: cells[0].execution_count: expected a whole number that is not negative`},
		{"output", code(`{}`), `f:3:98: cells[0].outputs[0]: the field "output_type" is missing`},
		{"output kind", code(`{"output_type": "pyout"}`), `f:3:114: cells[0].outputs[0].output_type: "pyout" is not one of stream, display_data, execute_result, error`},
		{"stream", code(`{"output_type": "stream", "name": "stdin", "text": ""}`), `f:3:132: cells[0].outputs[0].name: "stdin" is not one of stdout, stderr`},
		{"data", code(`{"output_type": "display_data", "metadata": {}}`), `f:3:98: cells[0].outputs[0]: the field "data" is missing`},
		{"traceback", code(`{"output_type": "error", "ename": "", "evalue": "", "traceback": [{}]}`), `f:3:164: cells[0].outputs[0].traceback[0]: a line of a traceback is a string; this is an object`},
	} {
		t.Run(test.name, func(t *testing.T) {
			nb, err := Read(strings.NewReader(test.text), "f")
			if nb != nil || err == nil {
				t.Fatalf("Read returned %v, %v", nb, err)
			}
			if err.Error() != test.want {
				t.Errorf("error\n%s\nwant\n%s", err, test.want)
			}
			if e := (*FormatError)(nil); !errors.As(err, &e) {
				t.Errorf("the error is a %T, want a *FormatError", err)
			}
		})
	}
}

// TestSplitLines compares with str.splitlines(True) of Python 3.12.
func TestSplitLines(t *testing.T) {
	for text, want := range map[string][]any{
		"":             {},
		"a":            {"a"},
		"a\n":          {"a\n"},
		"a\r\nb\rc":    {"a\r\n", "b\r", "c"},
		"\n\n":         {"\n", "\n"},
		"a\x1cb\u0085": {"a\x1c", "b\u0085"},
		"a\u2028b\vc":  {"a\u2028", "b\v", "c"},
		"a\x1fb":       {"a\x1fb"},
	} {
		if got := splitLines(text); !reflect.DeepEqual(got, want) {
			t.Errorf("splitLines(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "n.ipynb")
	link := filepath.Join(dir, "link.ipynb")
	if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	bad := &Notebook{Metadata: map[string]any{"a": struct{}{}}}
	if err := bad.WriteFile(path); err == nil {
		t.Error("a value that JSON has no form for was written")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "before" {
		t.Errorf("a failure left %q, %v in the file", text, err)
	}
	if err := new(Notebook).WriteFile(link); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err != nil {
		t.Errorf("the file that the link leads to was not written: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has %v, %v; its permissions were to stay", info.Mode(), err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 2 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestLongNames has a name of 200 KB with 20,000 values below it: what is allocated to read them is
// proportional to the file, and an error has the whole path.
func TestLongNames(t *testing.T) {
	name := strings.Repeat("a", 200_000)
	text := `{"nbformat": 4, "nbformat_minor": 5, "cells": [], "metadata": {"` + name + `": [` + strings.Repeat("[1],", 20_000) + `1]}}`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Read(strings.NewReader(text), "f"); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 100<<20 {
		t.Errorf("%d MB are allocated for %d KB", n>>20, len(text)>>10)
	}
}

func TestIndented(t *testing.T) {
	for _, c := range []struct {
		data any
		want string
	}{
		{map[string]any{"a": []any{1, "}\\\"["}, "b": map[string]any{}}, "{\n  \"a\": [\n    1,\n    \"}\\\\\\\"[\"\n  ],\n  \"b\": {}\n}"},
		{"a", `"a"`},
		{nil, "null"},
	} {
		if got, err := Indented(c.data); err != nil || got != c.want {
			t.Errorf("got %s, %v, want %s", got, err, c.want)
		}
	}
	var deep any = 1
	for range 5000 {
		deep = []any{deep}
	}
	if got, err := Indented(deep); err != nil || len(got) != 10_001 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
