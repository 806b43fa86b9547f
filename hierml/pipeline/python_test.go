package pipeline_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/pipeline"
	"github.com/hierml/notebook/internal/testrun"
)

// python returns a command that runs Python with the package of this module.
func python(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), testrun.NumPy(t), arguments...)
	path, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	// What go test remembers of a test depends on the files that it opens itself.
	for _, folder := range []string{filepath.Join(root, "hierml"), filepath.Join(root, "tests"), "testdata"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.py"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no files of Python: %v", folder, err)
		}
		for _, file := range files {
			if _, err := os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.Env = append(os.Environ(), "PYTHONPATH="+path, "PYTHONDONTWRITEBYTECODE=1", "PYTHONWARNINGS=error")
	return c
}

// output returns what the command prints.
func output(t *testing.T, c *exec.Cmd) []byte {
	t.Helper()
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", c.Args, err, stderr.Bytes())
	}
	return out
}

// TestPythonUnits runs the package's own tests.
func TestPythonUnits(t *testing.T) {
	c := python(t, "-m", "unittest", "discover", "-s", "tests")
	c.Dir = root
	out, err := c.CombinedOutput()
	if err != nil || !regexp.MustCompile(`Ran [1-9][0-9]+ tests`).Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestPythonLicence holds the licence that goes along with the package to that of the module.
func TestPythonLicence(t *testing.T) {
	own, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	if all, err := os.ReadFile(filepath.Join(root, "..", "LICENSE")); err != nil || !bytes.Equal(own, all) {
		t.Errorf("python/LICENSE is another than LICENSE: %v", err)
	}
}

// said is what testdata/predict.py prints of a file.
type said struct {
	Columns       [][]int
	Values        [][]float64
	Known         []bool
	Labels        []string
	Paths         [][]string
	Scores        [][]float64
	Ranked        [][][]any
	Probabilities [][]float64
	Sets          [][]string
}

// TestPythonPredictsTheSame compares the package for Python with this one: features and scores to
// rounding, labels exactly, over thousands of texts with letters of many scripts and what is no
// text.
func TestPythonPredictsTheSame(t *testing.T) {
	folder := t.TempDir()
	all := pipelines(t)
	texts := make(map[string][]string)
	for name, p := range all {
		if err := p.Save(filepath.Join(folder, encoded(name))); err != nil {
			t.Fatal(err)
		}
		n := 80
		if strings.HasPrefix(name, "features: ") {
			n = 250
		}
		if testrun.Long() {
			n *= 10
		}
		texts[name] = unseen(modelOf(p).Taxonomy, n, 77)
	}
	in := make(map[string][][]byte) // texts may be no UTF-8
	for name, of := range texts {
		for _, text := range of {
			in[encoded(name)] = append(in[encoded(name)], []byte(text))
		}
	}
	input, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	c := python(t, filepath.Join("testdata", "predict.py"), folder)
	c.Stdin = bytes.NewReader(input)
	var got map[string]said
	if err := json.Unmarshal(output(t, c), &got); err != nil {
		t.Fatal(err)
	}
	total, furthest := 0, 0.0
	for name, p := range all {
		d := comparison{t: t, name: name, p: p, m: modelOf(p), texts: texts[name], got: got[encoded(name)]}
		d.compare()
		total += len(texts[name])
		furthest = max(furthest, d.furthest)
	}
	t.Logf("%d texts for %d files; the largest relative difference of a feature or score is %.1e", total, len(all), furthest)
}

// encoded returns a name as that of a file.
func encoded(name string) string { return hex.EncodeToString([]byte(name)) }

func modelOf(p *pipeline.Pipeline) *classifier.Model {
	if p.Model != nil {
		return p.Model
	}
	return p.Calibrated.Model
}

// comparison compares what Python says of one file.
type comparison struct {
	t        *testing.T
	name     string
	p        *pipeline.Pipeline
	m        *classifier.Model
	texts    []string
	got      said
	furthest float64
}

// near reports whether values are equal to rounding: of single precision, whose last place a
// logarithm of another library may change.
func (d *comparison) near(got, want, scale float64) bool {
	if got == want {
		return true
	}
	difference := math.Abs(got-want) / max(scale, math.Abs(want))
	d.furthest = max(d.furthest, difference)
	return difference < 1e-6
}

func (d *comparison) compare() {
	d.t.Helper()
	x, err := d.p.Vectors(d.texts...)
	if err != nil {
		d.t.Fatal(d.name, err)
	}
	if len(d.got.Labels) != len(d.texts) {
		d.t.Errorf("%s: labels of %d texts for %d", d.name, len(d.got.Labels), len(d.texts))
		return
	}
	scores := d.m.ChoiceScores(x)
	for i, text := range d.texts {
		columns, values := x.Row(i)
		same := len(columns) == len(d.got.Columns[i])
		for k := range columns {
			same = same && int(columns[k]) == d.got.Columns[i][k] && d.near(d.got.Values[i][k], float64(values[k]), 1e-3)
		}
		if !same {
			d.t.Errorf("%s: %q has the features %v %v in Python, %v %v in Go", d.name, text, d.got.Columns[i], d.got.Values[i], columns, values)
			return
		}
		for y, want := range scores.RawRowView(i) {
			if got := unwritten(d.got.Scores[i][y]); !d.near(got, want, 1) {
				d.t.Errorf("%s: %q, label %d has the score %v in Python, %v in Go", d.name, text, y, got, want)
				return
			}
		}
		d.labels(x, i)
	}
}

// labels compares label, ranking and probabilities of a text.
func (d *comparison) labels(x *dataset.Matrix, i int) {
	d.t.Helper()
	label, err := d.p.Predict(d.texts[i])
	if err != nil {
		d.t.Fatal(d.name, err)
	}
	if d.got.Labels[i] != label.Name || !slices.Equal(d.got.Paths[i], label.Path) {
		d.t.Errorf("%s: %q is %v in Python, %v in Go", d.name, d.texts[i], d.got.Paths[i], label)
	}
	if d.got.Known[i] == label.Unknown || !label.Unknown && d.texts[i] == "" {
		d.t.Errorf("%s: %q is known: %v in Python; unknown: %v in Go", d.name, d.texts[i], d.got.Known[i], label.Unknown)
	}
	ranked, err := d.p.Rank(d.texts[i], 4)
	if err != nil {
		d.t.Fatal(d.name, err)
	}
	if len(ranked) != len(d.got.Ranked[i]) {
		d.t.Fatalf("%s: %d labels are ranked in Python, %d in Go", d.name, len(d.got.Ranked[i]), len(ranked))
	}
	for k, r := range ranked {
		name, score := d.got.Ranked[i][k][0], unwritten(d.got.Ranked[i][k][1].(float64))
		if name != r.Name || !d.near(score, r.Score, 1) {
			d.t.Errorf("%s: %q has at rank %d %v with %v in Python, %v in Go", d.name, d.texts[i], k, name, score, r)
		}
	}
	want, err := d.p.Probabilities(d.texts[i])
	if (err == nil) != (d.got.Probabilities != nil) {
		d.t.Fatalf("%s: probabilities %v in Python, %v in Go", d.name, d.got.Probabilities, err)
	}
	for y, v := range want {
		if got := d.got.Probabilities[i][y]; !d.near(got, v, 1e-3) {
			d.t.Errorf("%s: %q, label %d has the probability %v in Python, %v in Go", d.name, d.texts[i], y, got, v)
		}
	}
}

// unwritten returns a score that JSON has no number for.
func unwritten(v float64) float64 {
	if v == -1e300 {
		return math.Inf(-1)
	}
	return v
}

// TestPythonCommand runs the module as a program.
func TestPythonCommand(t *testing.T) {
	p := pipelines(t)["model: hierarchical"]
	path := filepath.Join(t.TempDir(), "model.hierml")
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	texts := slices.DeleteFunc(unseen(p.Model.Taxonomy, 200, 5), func(text string) bool { return strings.ContainsAny(text, "\r\n") })
	var want []string
	for _, text := range texts {
		label, err := p.Predict(text)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, strings.Join(label.Path, " > "))
	}
	c := python(t, "-m", "hierml", path)
	c.Stdin = strings.NewReader(strings.Join(texts, "\n"))
	if got := strings.Split(strings.TrimSuffix(string(output(t, c)), "\n"), "\n"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}

	// With a rule, what it decides for.
	p = rules(t)["decision: tree, F1 of sets"]
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	sets, _, err := p.Decide(t.Context(), ofTexts(texts))
	if err != nil {
		t.Fatal(err)
	}
	want = nil
	for _, set := range sets {
		want = append(want, strings.Join(p.Taxonomy().NamesOf(set...), "\t"))
	}
	c = python(t, "-m", "hierml", path)
	c.Stdin = strings.NewReader(strings.Join(texts, "\n"))
	if got := strings.Split(strings.TrimSuffix(string(output(t, c)), "\n"), "\n"); !slices.Equal(got, want) {
		t.Errorf("decisions %q, want %q", got, want)
	}
}

// TestPythonRefuses gives the package files that are damaged, and files of what it does not know:
// each is an error of one kind that says what is wrong, and none is loaded.
func TestPythonRefuses(t *testing.T) {
	p, _ := sound(t)
	b := written(t, p)
	folder := t.TempDir()
	says := make(map[string]string)
	add := func(name string, file []byte, text string) {
		says[encoded(name)] = text
		if err := os.WriteFile(filepath.Join(folder, encoded(name)), file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	add("sound", b, "")
	for i := 0; i < len(b); i += 1 + i/40 {
		damaged := slices.Clone(b)
		damaged[i] ^= 1
		if at := bytes.Index(b, []byte("crc32c")); i < at || i >= at+6 {
			add(fmt.Sprint("byte ", i, " changed"), damaged, "error")
		}
		add(fmt.Sprint("cut after ", i), b[:i], "error")
	}
	// Without the check sum some changes make another file, which is loaded; but there is no other
	// error.
	rng := rand.New(rand.NewPCG(1, 8))
	unchecked := bytes.Replace(slices.Clone(b), []byte(`"crc32c"`), []byte(`"no sum"`), 1)
	for k := range 600 {
		damaged := slices.Clone(unchecked)
		for range 1 + rng.IntN(3) {
			damaged[rng.IntN(len(damaged))] = "\x00\x01\xff09-.,:[]{}\"eaN"[rng.IntN(17)]
		}
		add(fmt.Sprint("unchecked, ", k), damaged, "any")
	}
	for name, c := range map[string]struct{ old, new, says string }{
		"another format":     {`"hierml.pipeline"`, `"pickle"`, "pickle"},
		"a later version":    {`"hierml.pipeline","version":1`, `"hierml.pipeline","version":4`, "in version 4"},
		"of another model":   {`"hierml.pipeline","version":1`, `"hierml.pipeline","version":3`, "version 3"},
		"an unknown part":    {`"vectorizer":`, `"stemmer":1,"vectorizer":`, "'stemmer'"},
		"an unknown setting": {`"text":{`, `"text":{"Stemming":true,`, "'Stemming'"},
		"an unknown weight":  {`"text":{`, `"text":{"Weight":"entropy",`, "Weight is 'entropy'"},
		"an unknown norm":    {`"text":{`, `"text":{"Norm":"max",`, "Norm is 'max'"},
		"an unknown pattern": {`"text":{`, `"text":{"Pattern":"(?i)a",`, "flags"},
		"a function":         {`"text":{`, `"tokenizer":true,"text":{`, "Text.Tokenizer"},
		"an unknown step":    {`"hierml.scaler"`, `"hierml.stemmer"`, "hierml.stemmer"},
		"other functions":    {`"leaves":[`, `"leaves":[0,`, "probabilities of 5 labels for 4"},
		"not JSON":           {`{"format":"hierml.pipeline"`, `["format"`, "not JSON"},
	} {
		add(name, attached(t, b, func(content string) string {
			if !strings.Contains(content, c.old) {
				t.Fatalf("%s: %s is not in the file", name, c.old)
			}
			return strings.Replace(content, c.old, c.new, 1)
		}), c.says)
	}
	add("a threshold of 2", attached(t, written(t, rules(t)["decision: tree, node thresholds"]), func(content string) string {
		return regexp.MustCompile(`"thresholds":\[[^,]+`).ReplaceAllString(content, `"thresholds":[2`)
	}), "threshold of the decision is not from 0 to 1")
	var alone bytes.Buffer
	if err := p.Calibrated.Model.Write(&alone, classifier.Format{}); err != nil {
		t.Fatal(err)
	}
	add("a model alone", alone.Bytes(), "")
	c := python(t, filepath.Join("testdata", "refused.py"), folder)
	var got map[string]string
	if err := json.Unmarshal(output(t, c), &got); err != nil {
		t.Fatal(err)
	}
	for name, text := range says {
		what, err := hex.DecodeString(name)
		if err != nil {
			t.Fatal(err)
		}
		switch said, ok := got[name]; {
		case !ok, text == "" && said != "", text != "" && text != "any" && said == "", text != "error" && text != "any" && !strings.Contains(said, text):
			t.Errorf("%s: Python says %q; want %q", what, said, text)
		}
	}
	t.Logf("%d files", len(says))
}

// TestPythonHostileFiles has files of all kinds damaged in every part, with the right check sum:
// numbers of 400 digits, shapes of 2^62, names with orders to a terminal, expressions that take
// others for ever. Each is a model, which gives the label of a hostile text, or a LoadError, and
// nothing but the file is opened, and nothing executed. Go reads some of them, too.
func TestPythonHostileFiles(t *testing.T) {
	bases, kept := t.TempDir(), t.TempDir()
	all := maps.Clone(pipelines(t))
	maps.Copy(all, tables(t, 3))
	maps.Copy(all, others(t))
	maps.Copy(all, rules(t))
	for name, p := range all {
		if err := p.Save(filepath.Join(bases, encoded(name))); err != nil {
			t.Fatal(err)
		}
	}
	n := "200"
	if testrun.Long() {
		n = "20000"
	}
	said := string(output(t, python(t, filepath.Join("testdata", "hostile.py"), bases, n, "1", kept)))
	t.Log(said)
	var loaded, refused int
	if _, err := fmt.Sscanf(said, "loaded %d, refused %d,", &loaded, &refused); err != nil || loaded == 0 || fmt.Sprint(loaded+refused) != n {
		t.Errorf("of %s files: %v", n, err)
	}
	files, err := filepath.Glob(filepath.Join(kept, "*"))
	if err != nil || len(files) != 100 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		p, err := pipeline.Load(file)
		if err != nil {
			continue
		}
		if _, err := p.Predict(strings.Repeat("a", 1000)); err != nil {
			t.Logf("%s: %v", file, err) // a scaler may make too large a number of it
		}
	}
}
