package markdown

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/notebook"
)

var update = flag.Bool("update", false, "write the golden file anew")

// everything is the notebook by which web pages are tested too.
var everything = filepath.Join("..", "page", "testdata", "page.ipynb")

// TestWrite compares the Markdown of a notebook that has everything with a golden file.
func TestWrite(t *testing.T) {
	nb, err := notebook.ReadFile(everything)
	if err != nil {
		t.Fatal(err)
	}
	var b, places bytes.Buffer
	err = Write(&b, nb, func(name, mime string, data []byte) (string, error) {
		fmt.Fprintf(&places, "%s %s %d\n", name, mime, len(data))
		return "files/" + name, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got := b.String() + "\n<!-- pictures:\n" + places.String() + "-->\n"
	golden := filepath.Join("testdata", "page.golden.md")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the Markdown is not %s; see what changed with go test -update and git diff. It is:\n%s", golden, got)
	}
}

func TestWriteOutputs(t *testing.T) {
	shown := func(data map[string]any) *notebook.Output {
		return &notebook.Output{Kind: notebook.Display, Data: data}
	}
	for _, c := range []struct {
		name   string
		output *notebook.Output
		want   string
	}{
		{"a fence in a text", &notebook.Output{Kind: notebook.Stream, Text: "a\n```\nb\n"}, "````text\na\n```\nb\n````\n"},
		{"colours", &notebook.Output{Kind: notebook.Stream, Text: "\x1b[1;31mred\x1b[0m\n"}, "```text\nred\n```\n"},
		{"nothing", &notebook.Output{Kind: notebook.Stream, Text: " \n"}, ""},
		{"an error without lines", &notebook.Output{Kind: notebook.Failure, ErrorName: "panic", ErrorValue: "no"}, "```text\npanic: no\n```\n"},
		{"a picture and its text", shown(map[string]any{"image/png": "AQ\nID", "text/plain": "a [b]\nc"}), "![a (b)](data:image/png;base64,AQID)\n"},
		{"HTML alone", shown(map[string]any{"text/html": "<p>a\n\n<p>b"}), "<p>a\n<p>b\n"},
		{"HTML and text", shown(map[string]any{"text/html": "<p>a", "text/plain": "a  1"}), "```text\na  1\n```\n"},
		{"a formula", shown(map[string]any{"text/latex": "$$x^2$$"}), "$$\nx^2\n$$\n"},
		{"JSON", shown(map[string]any{"application/json": map[string]any{"a": true}}), "```json\n{\n  \"a\": true\n}\n```\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			nb := &notebook.Notebook{Cells: []*notebook.Cell{{Kind: notebook.Code, Outputs: []*notebook.Output{c.output}}}}
			var b strings.Builder
			if err := Write(&b, nb, Inline); err != nil || b.String() != c.want {
				t.Errorf("got %q, %v, want %q", b.String(), err, c.want)
			}
		})
	}
}

func TestWriteFails(t *testing.T) {
	full := errors.New("full")
	picture := func(data string) *notebook.Notebook {
		return &notebook.Notebook{Cells: []*notebook.Cell{{Kind: notebook.Code, Outputs: []*notebook.Output{{Kind: notebook.Display, Data: map[string]any{"image/png": data}}}}}}
	}
	if err := Write(&strings.Builder{}, picture("AQID"), func(string, string, []byte) (string, error) { return "", full }); !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
	if err := Write(&strings.Builder{}, picture("?"), Inline); err == nil || !strings.HasPrefix(err.Error(), "cells[0]: outputs[0]: image/png: ") {
		t.Errorf("got %v", err)
	}
}

// TestFenceOfHostileLanguage has a notebook whose kernel's language is more than a name: it cannot
// end the fence of a cell.
func TestFenceOfHostileLanguage(t *testing.T) {
	for language, want := range map[string]string{
		"r":                           "```r\nx\n```",
		"objective-c++":               "```objective-c++\nx\n```",
		"go\n```\n<script>a</script>": "```go\nx\n```",
		"go`":                         "```go\nx\n```",
		strings.Repeat("x", 100):      "```go\nx\n```",
	} {
		nb := &notebook.Notebook{
			Metadata: map[string]any{"kernelspec": map[string]any{"language": language}},
			Cells:    []*notebook.Cell{{Kind: notebook.Code, Source: "x"}},
		}
		var b bytes.Buffer
		if err := Write(&b, nb, Inline); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(b.String()); got != want {
			t.Errorf("%q gives %q, want %q", language, got, want)
		}
	}
}

// TestAttachmentsOften names an attached picture often, in several ways: it becomes part of the
// Markdown ten times.
func TestAttachmentsOften(t *testing.T) {
	c := &notebook.Cell{
		Kind: notebook.Markdown, Source: strings.Repeat("![](attachment:a.png) ![](attachment:%61.png)\n", 100) + "![](attachment:b.png)",
		Attachments: map[string]any{"a.png": map[string]any{"image/png": "AQID"}, "b.png": map[string]any{"image/png": "AQIE"}},
	}
	var b strings.Builder
	if err := Write(&b, &notebook.Notebook{Cells: []*notebook.Cell{c}}, Inline); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), "AQID"); got != notebook.ShownAttachments || !strings.Contains(b.String(), "AQIE") {
		t.Errorf("the picture is there %d times:\n%s", got, b.String())
	}
}
