package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/experiment"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/internal/testrun/given"
)

// defaultsStudy compares the defaults of hierml train with others; doc/comparison.md has its table.
var defaultsStudy = filepath.Join("..", "bench", "testdata", "defaults.json")

// defaultTrainer is hierml train without options.
func defaultTrainer(t *testing.T) *trainer {
	t.Helper()
	cmd := trainCommand()
	cmd.SetErr(io.Discard)
	d := &trainer{cmd: cmd}
	var errs [4]error
	d.fill, errs[0] = cmd.Flags().GetString("fill")
	d.minRows, errs[1] = cmd.Flags().GetInt("min-rows")
	d.minDocuments, errs[2] = cmd.Flags().GetInt("min-documents")
	d.method, errs[3] = cmd.Flags().GetString("method")
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDefaultsAreStudied holds that the study has the defaults of hierml train as its baseline.
func TestDefaultsAreStudied(t *testing.T) {
	s, err := experiment.ReadStudy(defaultsStudy)
	if err != nil {
		t.Fatal(err)
	}
	table, err := dataset.NewTable("skewed", dataset.Numbers("size", 1, 2, 3, 4, 5000), dataset.Numbers("n", 1, 2, 3, 4, 5))
	if err != nil {
		t.Fatal(err)
	}
	d := defaultTrainer(t)
	got, err := d.settings(table)
	if err != nil {
		t.Fatal(err)
	}
	want := s.Data[0].Columns
	want.Of = map[string]features.Column{"size": want.Of["size"]}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("hierml train makes features by %+v, and the study has %+v", got, want)
	}
	e, err := d.estimator(table)
	if err != nil {
		t.Fatal(err)
	}
	if m := s.Methods[0]; m.Name != s.Baseline || m.Named.Type != fmt.Sprintf("%T", e) || len(m.Named.Fields) > 0 || len(m.Grid) != 1 {
		t.Errorf("hierml train trains %T, and the study has %+v", e, m)
	}
}

// TestDefaultsPage holds that the page has a row for each method of the study.
func TestDefaultsPage(t *testing.T) {
	s, err := experiment.ReadStudy(defaultsStudy)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "doc", "comparison.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## Defaults for tables\n")
	table, _, _ = strings.Cut(table, "\n## ")
	for _, m := range s.Methods {
		if !strings.Contains(table, "\n| "+m.Name+" | ") {
			t.Errorf("doc/comparison.md has no row %q", m.Name)
		}
	}
	if rows := strings.Count(table, "\n|") - 2; rows != len(s.Methods) {
		t.Errorf("doc/comparison.md has %d rows, and the study %d methods", rows, len(s.Methods))
	}
}

// TestGivenDefaults runs the study on one division at one C. What differs from the defaults in one
// setting is not more accurate by more than chance: some four standard errors.
func TestGivenDefaults(t *testing.T) {
	folder := given.Folder(t, given.Data)
	testrun.LeaveOutShort(t)
	s, err := experiment.ReadStudy(defaultsStudy)
	if err != nil {
		t.Fatal(err)
	}
	data := &s.Data[0]
	table, err := data.Reader.Open(t.Context(), filepath.Join(folder, data.File), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := defaultTrainer(t).settings(table); err != nil || !reflect.DeepEqual(got, data.Columns) {
		t.Errorf("of %s hierml train makes features by %+v, %v; the study has %+v", data.File, got, err, data.Columns)
	}
	data.Name, data.File, data.Reader, data.Table = "debian", "", files.Table{}, table
	s.Split, s.Inner = experiment.Split{HeldOut: 0.3}, experiment.Split{}
	for i := range s.Methods {
		s.Methods[i].Grid["C"] = []any{1}
	}
	r, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	accuracy := make(map[string]float64)
	for _, c := range r.Cells {
		if c.Error != "" {
			t.Errorf("%s: %s", c.Method, c.Error)
		}
		accuracy[c.Method] = c.Values["accuracy"]
	}
	for method, value := range accuracy {
		if value > accuracy[s.Baseline]+0.02 {
			t.Errorf("%s has an accuracy of %.4f, and the defaults have %.4f", method, value, accuracy[s.Baseline])
		}
	}
	if accuracy[s.Baseline] < 0.66 { // 0.641 is that of the text alone
		t.Errorf("the defaults have an accuracy of %.4f\n%s", accuracy[s.Baseline], strings.TrimSpace(r.String()))
	}
}
