package files_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/files"
)

func TestGroupsOfFiles(t *testing.T) {
	const rows = "author,text,label\nann,one two,a\nbob,three four,b\n,five six,a\nann,seven eight,b\n"
	want := []string{"ann", "bob", "", "ann"}
	table, err := files.Table{Group: "author"}.Read(t.Context(), strings.NewReader(rows), "rows.csv", nil)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := table.Column("author"); err != nil || c.Role != dataset.Group || !slices.Equal(table.Groups(), want) {
		t.Errorf("groups %q of %v (%v)", table.Groups(), c, err)
	}
	like, err := files.Table{Like: table.Columns}.Read(t.Context(), strings.NewReader(rows), "rows.csv", table.Taxonomy)
	if err != nil || !slices.Equal(like.Groups(), want) {
		t.Errorf("groups %q (%v)", like.Groups(), err)
	}
	corpus, err := files.CSV{Group: "author"}.Read(t.Context(), strings.NewReader(rows), "rows.csv", nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := files.JSONLines{Group: "author"}
	for name, again := range map[string]func(to *bytes.Buffer) (*dataset.Corpus, error){
		"CSV": func(to *bytes.Buffer) (*dataset.Corpus, error) {
			if err := (files.CSV{Group: "author"}).Write(t.Context(), to, corpus); err != nil {
				return nil, err
			}
			return files.CSV{Group: "author"}.Read(t.Context(), to, "again", corpus.Taxonomy)
		},
		"JSON": func(to *bytes.Buffer) (*dataset.Corpus, error) {
			if err := lines.Write(t.Context(), to, corpus); err != nil {
				return nil, err
			}
			return lines.Read(t.Context(), to, "again", corpus.Taxonomy)
		},
	} {
		c, err := again(&bytes.Buffer{})
		if err != nil || !slices.Equal(c.Groups(), want) || !slices.Equal(corpus.Groups(), want) {
			t.Errorf("%s: %v (%v)", name, c, err)
		}
	}
	var plain bytes.Buffer
	if err := (files.JSONLines{}).Write(t.Context(), &plain, corpus); err != nil || strings.Contains(plain.String(), "ann") {
		t.Errorf("%s (%v)", plain.String(), err)
	}
	for want, read := range map[string]func() error{
		`Group: no column named "autor"`: func() error {
			_, err := files.Table{Group: "autor"}.Read(t.Context(), strings.NewReader(rows), "r", nil)
			return err
		},
		`"label" is set in both Label and Group`: func() error {
			_, err := files.Table{Label: "label", Group: "label"}.Read(t.Context(), strings.NewReader(rows), "r", nil)
			return err
		},
		`no column named "autor"`: func() error {
			_, err := files.CSV{Group: "autor"}.Read(t.Context(), strings.NewReader(rows), "r", nil)
			return err
		},
		`no document has a field "author" (found: `: func() error {
			_, err := lines.Read(t.Context(), strings.NewReader(`{"text": "x", "label": "a"}`), "r", nil)
			return err
		},
	} {
		if err := read(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}
