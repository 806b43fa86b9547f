package doc

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/experiment"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/pipeline"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// A section is the text of formats.md between two headings.
type section struct {
	text string
	// the folders that its paragraph **Code:** names, or the one of a section before
	packages []string
	// first has the names in the first column of its tables, by the head of the column: "key",
	// "tensor", "metadata". checks are the errors in the second column of tables of checks.
	first  map[string][]string
	checks []string
}

// readerChecks is the head of tables of checks.
const readerChecks = "the reader checks"

var heading = regexp.MustCompile(`(?m)^##+ (.*)\n`)

// formats reads formats.md. The part before the first heading is the section "".
func formats(t *testing.T) map[string]*section {
	t.Helper()
	content, err := os.ReadFile("formats.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(content)
	all := make(map[string]*section)
	name, from := "", 0
	var packages []string
	add := func(to int) {
		s := &section{text: page[from:to], first: make(map[string][]string)}
		if _, line, ok := strings.Cut(s.text, "**Code:** "); ok {
			line, _, _ = strings.Cut(line, "\n\n")
			packages = nil
			for _, quoted := range code.FindAllStringSubmatch(line, -1) {
				if info, err := os.Stat(filepath.Join(root, quoted[1])); err == nil && info.IsDir() {
					packages = append(packages, quoted[1])
				}
			}
		}
		s.packages = packages
		s.tables()
		all[name] = s
	}
	for _, at := range heading.FindAllStringSubmatchIndex(page, -1) {
		add(at[0])
		name, from = page[at[2]:at[3]], at[1]
	}
	add(len(page))
	return all
}

// tables reads the tables of a section.
func (s *section) tables() {
	head := ""
	for line := range strings.Lines(s.text) {
		cells := strings.Split(line, "|")
		switch {
		case len(cells) < 3:
			head = ""
		case head == "":
			head = strings.TrimSpace(cells[1])
		case head == readerChecks:
			for _, quoted := range code.FindAllStringSubmatch(cells[2], -1) {
				s.checks = append(s.checks, quoted[1])
			}
		default:
			kind, names := head, cells[1]
			if head == "layout" { // of tensors, which are in the second column
				kind, names = "tensor", cells[2]
			}
			for _, quoted := range code.FindAllStringSubmatch(names, -1) {
				s.first[kind] = append(s.first[kind], quoted[1])
			}
		}
	}
}

// sourceFiles returns the files of a package that are no tests.
func sourceFiles(t *testing.T, folder string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return strings.HasSuffix(path, "_test.go") })
}

// sourceText returns the text of a package, with one space for each run of white space.
func sourceText(t *testing.T, folder string) string {
	t.Helper()
	var b strings.Builder
	for _, path := range sourceFiles(t, folder) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(strings.Join(strings.Fields(string(content)), " "))
	}
	return b.String()
}

// inspect calls visit for each node of the syntax of a package.
func inspect(t *testing.T, folder string, visit func(n ast.Node)) {
	t.Helper()
	for _, path := range sourceFiles(t, folder) {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for n := range ast.Preorder(file) {
			visit(n)
		}
	}
}

// jsonKeys returns the keys of the fields of struct types, as encoding/json has them. What is
// embedded has to be named, too.
func jsonKeys(t *testing.T, folder string, types ...string) (found []string) {
	t.Helper()
	seen := 0
	inspect(t, folder, func(n ast.Node) {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || !slices.Contains(types, spec.Name.Name) {
			return
		}
		fields, ok := spec.Type.(*ast.StructType)
		if !ok {
			return
		}
		seen++
		for _, f := range fields.Fields.List {
			key := ""
			if f.Tag != nil {
				tag, _ := strconv.Unquote(f.Tag.Value) // the compiler has accepted it
				key, _, _ = strings.Cut(reflect.StructTag(tag).Get("json"), ",")
			}
			for _, name := range f.Names {
				switch {
				case !name.IsExported() || key == "-":
				case key == "":
					found = append(found, name.Name)
				default:
					found = append(found, key)
				}
			}
		}
	})
	if seen != len(types) {
		t.Errorf("%s has %d of the structs %v", folder, seen, types)
	}
	return found
}

// tensorFunctions are those whose first text is the name of a tensor.
var tensorFunctions = regexp.MustCompile(`^(safetensors\.(New|Floats|Read|Indices)|f\.Floats|tensor|(modelfile\.)?(Texts|ReadTexts|Nodes|Borders))$`)

// tensorNames returns the names of tensors in the code of a package.
func tensorNames(t *testing.T, folder string) (found []string) {
	t.Helper()
	add := func(e ast.Expr) (string, bool) {
		text, ok := e.(*ast.BasicLit)
		if !ok || text.Kind != token.STRING {
			return "", false
		}
		name, err := strconv.Unquote(text.Value)
		found = append(found, name)
		return name, err == nil
	}
	inspect(t, folder, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.CallExpr:
			f := n.Fun
			if generic, ok := f.(*ast.IndexExpr); ok {
				f = generic.X
			}
			called := ""
			switch f := f.(type) {
			case *ast.Ident:
				called = f.Name
			case *ast.SelectorExpr:
				called = fmt.Sprintf("%s.%s", f.X, f.Sel)
			}
			if !tensorFunctions.MatchString(called) {
				return
			}
			for _, argument := range n.Args {
				if name, ok := add(argument); ok {
					if strings.HasSuffix(called, "Texts") {
						found = append(found, name+".offsets")
					}
					return
				}
			}
		case *ast.CompositeLit: // of a safetensors.Tensor, or the names of several
			if of, ok := n.Type.(*ast.Ident); ok && of.Name == "pointTensors" {
				for _, e := range n.Elts {
					add(e)
				}
			}
			var name ast.Expr
			shaped := false
			for _, e := range n.Elts {
				if pair, ok := e.(*ast.KeyValueExpr); ok {
					switch fmt.Sprint(pair.Key) {
					case "Name":
						name = pair.Value
					case "Shape":
						shaped = true
					}
				}
			}
			if name != nil && shaped {
				add(name)
			}
		}
	})
	return found
}

// same compares the names on the page with those in the code.
func same(t *testing.T, what string, page, inCode []string) {
	t.Helper()
	for _, name := range page {
		if !slices.Contains(inCode, name) {
			t.Errorf("formats.md: %s: the code has no %q", what, name)
		}
	}
	for _, name := range inCode {
		if !slices.Contains(page, name) {
			t.Errorf("formats.md: %s: the page has no %q", what, name)
		}
	}
}

// TestFormatKeys compares the keys and tensors in tables of formats.md with the structs and the
// names in the code.
func TestFormatKeys(t *testing.T) {
	page := formats(t)
	type structs struct {
		folder string
		types  []string
	}
	for name, of := range map[string][]structs{
		"Pipeline":         {{"hierml/pipeline", []string{"saved"}}},
		"Probabilities":    {{"hierml/svm", []string{"savedCalibrated", "function"}}},
		"Node sets":        {{"hierml/svm", []string{"savedSets"}}},
		"Translated model": {{"hierml/clustering", []string{"savedTranslated"}}},
		"Conformal sets":   {{"hierml/conformal", []string{"saved", "savedGroup"}}},
		"Encoder":          {{"hierml/features", []string{"header", "savedEncoder", "field"}}},
		"Vectorizer":       {{"hierml/features", []string{"header", "savedVectorizer", "Text"}}},
		"Weigher":          {{"hierml/features", []string{"header", "savedWeigher"}}},
		"Scaler":           {{"hierml/features", []string{"header", "savedScaler"}}},
		"Selection":        {{"hierml/features", []string{"header", "savedSelection"}}},
		"Mapped data set":  {{"hierml/dataset", []string{"mapMeta"}}},
		"Study file":       {{"hierml/experiment", []string{"Study", "Data", "Method", "Split"}}},
		"Study folder":     {{"hierml/experiment", []string{"Cell", "stored", "outline", "planned"}}},
		"Farm folder": {
			{"hierml/internal/farmed", []string{"Submission", "Job", "Parts"}},
			{"hierml/experiment", []string{"assignment", "remark"}},
			{"hierml/svm", []string{"order"}},
		},
		"Kit":     {{"internal/toolchain", []string{"kitInfo"}}},
		"History": {{"kernel/internal/history", []string{"Cell"}}},
	} {
		var want []string
		for _, s := range of {
			want = append(want, jsonKeys(t, s.folder, s.types...)...)
		}
		if name == "Study file" { // which has nothing that can be given in Go only
			inGo := []string{"Set", "Collection", "Corpus", "Table", "DataFolder", "Generate", "Vectors", "Prepare", "Named", "Fit", "Progress"}
			want = slices.DeleteFunc(want, func(key string) bool { return slices.Contains(inGo, key) })
		}
		same(t, name, page[name].first["key"], want)
	}
	common := tensorNames(t, "hierml/internal/modelfile")
	for name, folder := range map[string]string{"Model": "hierml/classifier", "Forest": "hierml/forest", "Checkpoint": "hierml/solver", "Farm folder": "hierml/svm"} {
		tensors := slices.DeleteFunc(page[name].first["tensor"], func(tensor string) bool { return tensor == "attached.NAME" })
		want := tensorNames(t, folder)
		switch name {
		case "Model":
			want = append(want, common...)
		case "Forest": // the page names those of a model once
			want = slices.DeleteFunc(want, func(tensor string) bool { return strings.HasPrefix(tensor, "vocabulary") })
		}
		same(t, name, tensors, want)
	}
}

// TestFormatErrors looks for the errors on the page in the code that it names.
func TestFormatErrors(t *testing.T) {
	texts := make(map[string]string)
	for name, s := range formats(t) {
		found := func(text string) bool {
			return slices.ContainsFunc(s.packages, func(folder string) bool {
				if texts[folder] == "" {
					texts[folder] = sourceText(t, folder)
				}
				return strings.Contains(texts[folder], text)
			})
		}
		for _, text := range s.checks {
			if !found(text) {
				t.Errorf("formats.md: %s: no error in %v says %q", name, s.packages, text)
			}
		}
	}
}

// TestFormatVersions compares the table of all formats with constants of the code.
func TestFormatVersions(t *testing.T) {
	head := formats(t)[""].text
	for _, test := range []struct {
		row, folder string
		source      []string
	}{
		{"| `hierml.model` | 1 to 5 |", "hierml/classifier", []string{`fileFormat = modelfile.Format`, `fileVersion = 1`, `withLabels = 5`, `version > withLabels`}},
		{"| `hierml.model` of kind `forest` | 6 |", "hierml/internal/modelfile", []string{`Format = "hierml.model"`, `KindVersion = 6`}},
		{"| `hierml.sets` | 1 |", "hierml/svm", []string{`setsFormat = "hierml.sets"`, `setsVersion = 1`}},
		{"| `hierml.translated` | 1 |", "hierml/clustering", []string{`translatedFormat = "hierml.translated"`, `translatedVersion = 1`}},
		{"| `hierml.pipeline` | 1 to 3 |", "hierml/pipeline", []string{`format = "hierml.pipeline"`, `textVersion, columnVersion, modelVersion = 1, 2, 3`, `attachment = "pipeline"`}},
		{"| `hierml.calibrated` | 1 and 2 |", "hierml/svm", []string{`calibratedFormat = "hierml.calibrated"`, `calibratedVersion = 2`}},
		{"| `hierml.conformal` | 1 |", "hierml/conformal", []string{`format = "hierml.conformal"`, `version = 1`}},
		{"| `hierml.encoder` | 1 |", "hierml/features", []string{`header{"hierml.encoder", 1}`}},
		{"| `hierml.vectorizer` | 1 and 2 |", "hierml/features", []string{`header{"hierml.vectorizer", withSmoothIDF}`, `withSmoothIDF = 2`}},
		{"| `hierml.weigher` | 1 to 3 |", "hierml/features", []string{`header{"hierml.weigher", withSmoothIDF + 1}`}},
		{"| `hierml.scaler` | 1 and 2 |", "hierml/features", []string{`header{"hierml.scaler", 2}`}},
		{"| `hierml.selection` | 1 and 2 |", "hierml/features", []string{`header{"hierml.selection", 2}`}},
		{"| `hiermlM\\x01` | 1 |", "hierml/dataset", []string{`mapMagic = [8]byte{'h', 'i', 'e', 'r', 'm', 'l', 'M', 1}`, `mapHeaderSize = 64`}},
		{"| `hierml checkpoint` | none |", "hierml/solver", []string{`checkpointFormat = "hierml checkpoint"`}},
		{"`Study.Directory` | none | 2 |", "hierml/experiment", []string{`const format = 2 `}},
		{"`Settings.Directory` | none | 2 |", "hierml/svm", []string{`const trainingFormat = 2 `}},
		{"in the user's cache | none | 10 |", "internal/toolchain", []string{`const format = "10"`}},
	} {
		if !strings.Contains(head, test.row) {
			t.Errorf("formats.md: no row with %q", test.row)
		}
		text := sourceText(t, test.folder)
		for _, source := range test.source {
			if !strings.Contains(text, source) {
				t.Errorf("formats.md says %q, and %s does not have %q", test.row, test.folder, source)
			}
		}
	}
}

// TestFormatsWritten writes a pipeline and a checkpoint: all their tensors, metadata and keys are
// on the page.
func TestFormatsWritten(t *testing.T) {
	tree, err := taxonomy.New([]string{"root", "fruit", "sport"}, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	corpus := &dataset.Corpus{Name: "texts", Taxonomy: tree}
	for i := range 12 {
		text, leaf := fmt.Sprintf("apple pear %d", i%3), 1
		if i%2 == 1 {
			text, leaf = fmt.Sprintf("football tennis %d", i%3), 2
		}
		corpus.Documents = append(corpus.Documents, dataset.Document{Text: text, Labels: []int{leaf}})
	}
	vectorizer, err := features.Text{Weight: features.Counts, Norm: features.NoNorm}.Fit(corpus)
	if err != nil {
		t.Fatal(err)
	}
	d := vectorizer.Transform(corpus)
	weigher, err := features.Weighing{SmoothIDF: true}.Fit(d)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	checkpoint := filepath.Join(folder, "checkpoint")
	p := &pipeline.Pipeline{Vectorizer: vectorizer, Steps: []pipeline.Step{weigher}}
	if d, err = weigher.Transform(d); err != nil {
		t.Fatal(err)
	}
	if p.Model, err = (svm.Flat{Settings: solver.Settings{Checkpoint: checkpoint}}).Fit(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if p.Calibrated, err = (svm.Calibration{Folds: 2}).Fit(t.Context(), svm.Flat{}, d); err != nil {
		t.Fatal(err)
	}
	p.Model = nil
	file := filepath.Join(folder, "pipeline")
	if err := p.Save(file); err != nil {
		t.Fatal(err)
	}
	page := formats(t)
	has := func(section, head, name string) {
		if !slices.Contains(page[section].first[head], name) {
			t.Errorf("formats.md: %s: no %s %q, which was written", section, head, name)
		}
	}
	attached := container(t, file, func(head, name string) {
		if name != "attached.pipeline" {
			has("Model", head, name)
		}
	})
	container(t, checkpoint, func(head, name string) { has("Checkpoint", head, name) })
	var parts struct {
		Vectorizer, Probabilities map[string]any
		Steps                     []map[string]any
	}
	if err := json.Unmarshal(attached["attached.pipeline"], &parts); err != nil {
		t.Fatal(err)
	}
	if len(parts.Steps) != 1 || parts.Probabilities == nil {
		t.Fatalf("the pipeline is %s", attached["attached.pipeline"])
	}
	for section, object := range map[string]map[string]any{"Vectorizer": parts.Vectorizer, "Probabilities": parts.Probabilities, "Weigher": parts.Steps[0]} {
		for key := range object {
			has(section, "key", key)
		}
	}
}

// container reads a safetensors file as the page describes it, and returns the bytes of its
// tensors.
func container(t *testing.T, path string, each func(head, name string)) map[string][]byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := 8 + binary.LittleEndian.Uint64(content)
	var header map[string]json.RawMessage
	if err := json.Unmarshal(content[8:end], &header); err != nil {
		t.Fatal(err)
	}
	tensors := make(map[string][]byte)
	for name, text := range header {
		if name == "__metadata__" {
			var metadata map[string]string
			if err := json.Unmarshal(text, &metadata); err != nil {
				t.Fatal(err)
			}
			for key := range metadata {
				each("metadata", key)
			}
			continue
		}
		var tensor struct {
			Offsets [2]uint64 `json:"data_offsets"`
		}
		if err := json.Unmarshal(text, &tensor); err != nil {
			t.Fatal(err)
		}
		each("tensor", name)
		tensors[name] = content[end+tensor.Offsets[0] : end+tensor.Offsets[1]]
	}
	return tensors
}

var jsonExample = regexp.MustCompile("(?s)```json\n(.*?)```")

// TestFormatExamples reads the examples of the page as the library does.
func TestFormatExamples(t *testing.T) {
	for name, s := range formats(t) {
		for _, example := range jsonExample.FindAllStringSubmatch(s.text, -1) {
			var value any
			switch name {
			case "Pipeline":
				value = &struct {
					Format, Version any
					Vectorizer      features.Vectorizer
				}{}
			case "Weigher":
				value = &features.Weigher{}
			case "Scaler":
				value = &features.Scaler{}
			case "Selection":
				value = &features.Selection{}
			case "Study file":
				value = &experiment.Study{}
			case "Study folder":
				value = &experiment.Cell{}
			}
			if err := json.Unmarshal([]byte(example[1]), &value); err != nil {
				t.Errorf("formats.md: the example of %s: %v", name, err)
			}
		}
	}
}
