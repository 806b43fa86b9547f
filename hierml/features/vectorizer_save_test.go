package features

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
)

func TestSaveVectorizer(t *testing.T) {
	train, test := drawnTexts(t, 60, 1), drawnTexts(t, 30, 2)
	split := func(text string) []string { return strings.Split(text, "1") }
	for _, settings := range []Text{
		{}, {Weight: BM25, K1: 2, B: -1, Norm: UnitSum}, {Tokens: Characters, NGrams: [2]int{2, 3}, KeepCase: true, MaxFeatures: 9},
		{Pattern: `w\d`, StopWords: []string{"w3 w4", "w5"}, Weight: Counts}, {Bits: 6}, {Bits: 12, Weight: Counts},
		{SmoothIDF: true}, {Bits: 6, Weight: PlainTFIDF, SmoothIDF: true},
		{Tokenizer: split},
	} {
		t.Run(fmt.Sprintf("%+v", settings), func(t *testing.T) {
			v, err := settings.Fit(train)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "words.json")
			if err := os.WriteFile(path, []byte("older"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := v.Save(path); err != nil {
				t.Fatal(err)
			}
			if written, err := os.ReadFile(path); err != nil || strings.Contains(string(written), `"version":2`) != settings.SmoothIDF {
				t.Errorf("a file for other programs: %.80s, %v", written, err)
			}
			var loaded *Vectorizer
			if settings.Tokenizer == nil {
				loaded, err = LoadVectorizer(path)
			} else {
				if _, err := LoadVectorizer(path); err == nil || !strings.Contains(err.Error(), "LoadVectorizerWith") {
					t.Error(err)
				}
				loaded, err = LoadVectorizerWith(path, split)
			}
			if err != nil {
				t.Fatal(err)
			}
			got, want := loaded.Transform(test), v.Transform(test)
			if !reflect.DeepEqual(got.X, want.X) || !reflect.DeepEqual(got.Vocabulary, want.Vocabulary) {
				t.Error("other vectors")
			}
			if loaded.String() != v.String() || loaded.HTML() != v.HTML() {
				t.Errorf("%v, want %v", loaded, v)
			}
		})
	}
	v, err := TFIDF{Counts: true}.Fit(train)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "words.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := v.Save(filepath.Join(folder, "words.json")); err == nil {
		t.Error("saves over a folder")
	}
	if left, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(left) != 1 {
		t.Errorf("left over: %v, %v", left, err)
	}
	if err := v.Save(""); err == nil || !strings.Contains(err.Error(), "file name is empty") {
		t.Error(err)
	}
	if err := v.Save(filepath.Join(t.TempDir(), "none", "words.json")); err == nil {
		t.Error("saves into a folder that there is not")
	}
}

func TestLoadVectorizerErrors(t *testing.T) {
	v, err := Text{}.Fit(example.Fruits("a b b", "b c"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	const good = `{"format":"hierml.vectorizer","version":1,"text":{},"documents":2,"terms per document":2.5,"vocabulary":["a","c"],"document frequencies":[1,1]}`
	if string(data) != good {
		t.Fatalf("%s, want %s", data, good)
	}
	for _, test := range []struct{ old, new, want string }{
		{`hierml.vectorizer`, `hierml.scaler`, `the format is "hierml.scaler"`},
		{`"version":1`, `"version":3`, "reads up to version 2"},
		{`"version":1`, `"version":0`, "version 0"},
		{`{}`, `{"Weight":"none"}`, "must be one of"},
		{`{}`, `{"Stemming":true}`, `unknown field "Stemming"`},
		{`{}`, `{"NGrams":[3,1]}`, "NGrams is [3 1]"},
		{`{}`, `{"Bits":4}`, "2 document frequencies for 16 columns"},
		{`{}`, `{"Bits":4,"Weight":"counts"}`, "for 0 columns"},
		{`[1,1]`, `[1]`, "1 document frequencies for 2 columns"},
		{`[1,1]`, `[1,3]`, "column 1 is in 3 of 2"},
		{`[1,1]`, `[0,1]`, "column 0 is in 0 of 2"},
		{`"a","c"`, `"c","a"`, "not ascending"},
		{`["a","c"],"document frequencies":[1,1]`, `[],"document frequencies":[]`, "no vocabulary"},
		{`2.5`, `-1`, "documents of -1 terms"},
		{`"text"`, `"tokenizer":true,"text"`, "LoadVectorizerWith"},
		{`}`, ``, "unexpected end of JSON"},
	} {
		path := filepath.Join(t.TempDir(), "bad.json")
		if err := os.WriteFile(path, []byte(strings.Replace(good, test.old, test.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := LoadVectorizer(path)
		if test.new == "" {
			if err == nil {
				t.Errorf("%q: no error", test.old)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s for %s: %v does not say %q", test.new, test.old, err, test.want)
		}
	}
	if _, err := LoadVectorizer(filepath.Join(t.TempDir(), "none.json")); err == nil {
		t.Error("loads a file that there is not")
	}
	path := filepath.Join(t.TempDir(), "good.json")
	if err := v.Save(path); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadVectorizerWith(path, nil); err == nil {
		t.Error("loads with no tokenizer")
	}
	if _, err := LoadVectorizerWith(path, strings.Fields); err == nil || !strings.Contains(err.Error(), "not come from a function") {
		t.Error(err)
	}
}
