package experiment

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/internal/testrun"
)

// asked is the text of a study whose method, and further fields, are given as JSON.
func asked(method, further string) string {
	return fmt.Sprintf(`{"Data": [{"Name": "tree", "Generator": {"synthetic.LinearTree": {"Depth": 1, "Features": 3, "Instances": 20}}}], "Methods": [%s]%s}`, method, further)
}

// askedFor are texts of studies, each with the error that it gives, or "".
var askedFor = []struct{ text, want string }{
	{asked(`{"Estimator": "svm.Flat"}`, ``), ""},
	{asked(`{"Estimator": "svm.Flat"}`, `, "Directory": "a/b.study"`), ""},
	{asked(`{"Estimator": "svm.Flat"}`, `, "Directory": "/tmp/a.study"`), `the study.Directory "/tmp/a.study" leads out of the folder of its file`},
	{asked(`{"Estimator": "svm.Flat"}`, `, "Directory": "../a.study"`), "leads out of the folder of its file"},
	{asked(`{"Estimator": "svm.Flat"}`, `, "Directory": "a/../../b"`), "leads out of the folder of its file"},
	{asked(`{"Estimator": "svm.Flat"}`, `, "Farm": "farm.Local"`), ""}, // Run refuses it
	{asked(`{"Estimator": "svm.Flat"}`, `, "Farm": {"farm.Slurm": {"Options": ["--wr=id"]}}`), ""},
	{asked(`{"Estimator": "svm.Flat"}`, `, "Farm": "farm.Mars"`), `the study.Farm cannot be "farm.Mars"; there are farm.Local, farm.Slurm`},
	{asked(`{"Estimator": "svm.Flat"}`, `, "Farm.Options": ["--mem=1"]`), "the study.Farm"},
	{asked(`{"Estimator": {"svm.OneVsRest": {"Settings": {"Farm": "farm.Local"}}}}`, ``), "the study.Methods[0].Estimator.svm.OneVsRest.Settings.Farm can be set in Go only"},
	{asked(`{"Estimator": {"svm.OneVsRest": {"Settings": {"Farm": null}}}}`, ``), "Settings.Farm can be set in Go only"},
	{asked(`{"Estimator": {"svm.OneVsRest": {"Settings.Farm": "farm.Local"}}}`, ``), "Settings.Farm can be set in Go only"},
	{asked(`{"Estimator": "svm.OneVsRest", "Grid": {"Settings.Farm": ["farm.Local"]}}`, ``), "Settings.Farm can be set in Go only"},
	{asked(`{"Estimator": "svm.OneVsRest", "Grid": {"Settings": [{"Farm": "farm.Local"}]}}`, ``), "Farm can be set in Go only"},
	{asked(`{"Estimator": {"svm.OneVsRest": {"Settings": {"Directory": "x"}}}}`, ``), "Settings.Directory can be set in Go only"},
	{asked(`{"Named": {"Type": "svm.OneVsRest", "Fields": {"Settings": {"Farm": "farm.Local"}}}}`, ``), "Settings.Farm can be set in Go only"},
	{asked(`{"Estimator": {"svm.NodeSets": {"Estimator": {"svm.OneVsRest": {"Settings": {"Directory": "x"}}}}}}`, ``), "Settings.Directory can be set in Go only"},
	{asked(`{"Estimator": {"svm.Flat": {"Settings": {"Checkpoint": "kept"}}}}`, ``), ""},
	{asked(`{"Estimator": {"svm.Flat": {"Settings": {"Checkpoint": "/tmp/kept"}}}}`, ``), `Settings.Checkpoint is "/tmp/kept"; a file can name one in the working folder only`},
	{asked(`{"Estimator": {"svm.Flat": {"Settings": {"Checkpoint": "../kept"}}}}`, ``), "in the working folder only"},
	{asked(`{"Estimator": {"svm.Flat": {"Settings": {"Checkpoint": "a/kept"}}}}`, ``), "in the working folder only"},
	{asked(`{"Estimator": {"svm.Flat": {"Settings": {"Checkpoint": ".."}}}}`, ``), "in the working folder only"},
	{asked(`{"Estimator": "svm.Flat", "Grid": {"Settings.Checkpoint": ["kept", "/tmp/kept"]}}`, ``), "in the working folder only"},
	{askedOf(`{"File": "a.csv", "Columns": {"Of": {"Farm": {"Nominal": {}}, "Checkpoint": {"Text": {}}}}}`), ""}, // names of columns
	{askedOf(`{"File": "a/b.csv"}`), ""},
	{askedOf(`{"File": "/etc/passwd"}`), `the study.Data[0].File "/etc/passwd" leads out of the folder of the study`},
	{askedOf(`{"Open": "ng15"}, {"File": "../b.csv"}`), `the study.Data[1].File "../b.csv" leads out of the folder of the study`},
	{asked(`{"Estimator": "svm.Flat"}`, `, "DataFolder": "/etc"`), "the study.DataFolder can be set in Go only"},
	{asked(`{"Estimator": "svm.Flat", "Grid": {"Data.File": ["/etc/passwd"]}}`, ``), ""}, // no grid may set it
}

// askedOf is the text of a study of data that are given as JSON.
func askedOf(data string) string {
	return fmt.Sprintf(`{"Data": [%s], "Methods": [{"Estimator": "perceptron.Flat", "Grid": {"Data.Columns.Of.Directory.Number.Log": [true]}}]}`, data)
}

// TestFileChooses holds that the file of a study has no say in what only its user can choose.
func TestFileChooses(t *testing.T) {
	for _, test := range askedFor {
		err := (&Study{}).UnmarshalJSON([]byte(test.text))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s\ngives %v, want %q", test.text, err, test.want)
		}
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "s.json")
	read := func(text string) (*Study, error) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return ReadStudy(file)
	}
	s, err := read(asked(`{"Estimator": "perceptron.Flat"}`, `, "Farm": "farm.Local", "Directory": "a.study"`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context()); !errors.Is(err, errFileFarm) {
		t.Errorf("it runs on the farm of its file: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("there are %v, %v", entries, err)
	}
	s.Farm = nil
	complete(t, s)
	outside := t.TempDir()
	for _, link := range []string{"b.study", "c"} {
		if err := os.Symlink(outside, filepath.Join(dir, link)); err != nil {
			testrun.Need(t, "links", err)
		}
	}
	for _, directory := range []string{"b.study", "c/d.study", "a.study/../c/d.study", "s.json"} {
		if s, err := read(asked(`{"Estimator": "perceptron.Flat"}`, fmt.Sprintf(`, "Directory": %q`, directory))); err == nil {
			t.Errorf("the directory %s gives the study %+v", directory, s)
		}
	}
}

// FuzzFileChooses holds of any text that what is read of it sets nothing of that kind, at any point
// of a grid either.
func FuzzFileChooses(f *testing.F) {
	for _, test := range askedFor {
		f.Add(test.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s Study
		if s.UnmarshalJSON([]byte(text)) != nil {
			return
		}
		if _, asks := s.Farm.(fileFarm); s.Farm != nil && !asks || s.Directory != "" && !filepath.IsLocal(s.Directory) {
			t.Errorf("the study has the farm %v and the directory %q", s.Farm, s.Directory)
		}
		for _, d := range s.Data {
			if d.File != "" && !filepath.IsLocal(d.File) || s.DataFolder != "" {
				t.Errorf("the study reads %q in the folder %q", d.File, s.DataFolder)
			}
		}
		for _, m := range s.Methods {
			made, err := m.Named.build(nil, estimatorTypes())
			points, gridErr := m.points(s.Seed)
			if errors.Join(err, gridErr) != nil {
				continue
			}
			for _, p := range append(points, nil) {
				v := reflect.New(reflect.TypeOf(made)).Elem()
				v.Set(reflect.ValueOf(made))
				for _, set := range p {
					if (setter{build: true}).path(v, set.path, set.value, "") != nil {
						break
					}
				}
				eachSettings(v, func(set solver.Settings) {
					if set.Farm != nil || set.Directory != "" || set.Checkpoint != "" && filepath.Base(set.Checkpoint) != set.Checkpoint {
						t.Errorf("a method has the farm %v, the directory %q and the checkpoint %q", set.Farm, set.Directory, set.Checkpoint)
					}
				})
			}
		}
	})
}

// eachSettings calls do for all settings in a value.
func eachSettings(v reflect.Value, do func(solver.Settings)) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			eachSettings(v.Elem(), do)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachSettings(v.Index(i), do)
		}
	case reflect.Struct:
		if set, is := v.Interface().(solver.Settings); is {
			do(set)
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachSettings(v.Field(i), do)
			}
		}
	}
}

// TestGoChooses holds that a program of the user's has all choices.
func TestGoChooses(t *testing.T) {
	s, err := ReadStudy(filepath.Join("testdata", "synthetic.json"))
	if err != nil {
		t.Fatal(err)
	}
	s.Farm, s.Directory = farm.Slurm{Options: []string{"--wr=id"}}, t.TempDir()
	if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), `farm: the option "--wr" of sbatch is not allowed for a job`) {
		t.Error(err)
	}
}
