package features

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestSaveSelection(t *testing.T) {
	train, test := drawnTexts(t, 60, 1), drawnTexts(t, 30, 2)
	v, err := Text{Weight: Counts}.Fit(train)
	if err != nil {
		t.Fatal(err)
	}
	rows := v.Transform(train)
	byClass, err := ChiSquare{Features: 7}.Fit(rows)
	if err != nil {
		t.Fatal(err)
	}
	rows.Vocabulary = nil
	unnamed, err := DocumentFrequency{Features: 5}.Fit(rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Selection{byClass, unnamed} {
		path := filepath.Join(t.TempDir(), "selection.json")
		if err := s.Save(path); err != nil {
			t.Fatal(err)
		}
		loaded, err := LoadSelection(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := loaded.Transform(v.Transform(test))
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.Transform(v.Transform(test))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Error("other columns")
		}
		without := *s
		without.Classes, without.taxonomy = nil, nil
		if !reflect.DeepEqual(loaded, &without) {
			t.Errorf("%v, want %v", loaded, &without)
		}
	}
}

func TestLoadSelectionErrors(t *testing.T) {
	s := &Selection{Columns: []int{0, 2}, Names: []string{"a", "c"}, Scores: []float64{3, 0, 2}, method: "chi-square"}
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	const good = `{"format":"hierml.selection","version":1,"method":"chi-square","columns":[0,2],"names":["a","c"],"scores":[3,0,2]}`
	if string(data) != good {
		t.Fatalf("%s, want %s", data, good)
	}
	for _, test := range []struct{ old, new, want string }{
		{"hierml.selection", "hierml.scaler", "the format is"},
		{`"version":1`, `"version":3`, "reads up to version 2"},
		{`[0,2]`, `[2,0]`, "column 0 of 3 is chosen"},
		{`[0,2]`, `[0,3]`, "column 3 of 3 is chosen"},
		{`[0,2]`, `[-1,2]`, "column -1 of 3 is chosen"},
		{`[0,2]`, `[]`, "0 chosen columns"},
		{`["a","c"]`, `["a"]`, "2 chosen columns with 1 names"},
		{`"method"`, `"way"`, `unknown field "way"`},
	} {
		path := filepath.Join(t.TempDir(), "bad.json")
		if err := os.WriteFile(path, []byte(strings.Replace(good, test.old, test.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadSelection(path); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v does not say %q", err, test.want)
		}
	}
}
