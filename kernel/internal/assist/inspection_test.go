package assist_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestInspect looks at descriptions: at their first line, and at what else is in the plain text and
// the Markdown, or with ! is not.
func TestInspect(t *testing.T) {
	enginetest.FailOnFaults(t)
	e := newAssistant(t, earlier...)
	for _, tt := range []struct {
		source string
		detail int
		first  string
		more   []string
	}{
		// Packages.
		{"strings.ToUp|per", 0, "func strings.ToUpper(s string) string", []string{"ToUpper returns s with all Unicode letters", "Declared in package strings.", "!Source"}},
		{"strings.ToUpper|", 0, "func strings.ToUpper(s string) string", []string{"```go\nfunc strings.ToUpper"}},
		{"strings.ToUpper|", 1, "func strings.ToUpper(s string) string", []string{"ToUpper returns"}},
		{"strings.ToUpper?|", 0, "func strings.ToUpper(s string) string", nil},
		{"strings.ToUpper|??\n", 1, "func strings.ToUpper(s string) string", nil},
		{"str|.ToUpper(\"a\")", 0, `package strings // import "strings"`, []string{"Package strings implements simple functions", "Functions and types:", "\nBuilder ", "\nToUpper()  ", "returns s with all Unicode letters mapped to their upper case.\n"}},
		{"math|", 0, `package math // import "math"`, []string{"!Declared in"}},
		{`import "net/ht|tp"`, 0, `package http // import "net/http"`, []string{"Package http provides HTTP client"}},
		{"fmt.Println|", 0, "func fmt.Println(a ...any) (n int, err error)", []string{"Println formats using the default formats"}},
		{"fmt.Println(|)", 0, "func fmt.Println(a ...any) (n int, err error)", nil},
		{"fmt.Println(1, |", 0, "func fmt.Println(a ...any) (n int, err error)", nil},
		{"fmt.Printf(\"%d| x\", 1)", 0, "func fmt.Printf(format string, a ...any) (n int, err error)", nil},
		{"fmt.Println(strings.Repeat(\"a\", |), 1)", 0, "func strings.Repeat(s string, count int) string", nil},
		{"fmt.Println([]int{1, 2|})", 0, "func fmt.Println(a ...any) (n int, err error)", nil},
		{"fmt.Println(zzz_nothing|)", 0, "func fmt.Println(a ...any) (n int, err error)", nil},
		{"fmt.|", 0, `package fmt // import "fmt"`, nil},
		{"math.Pi|", 0, "const math.Pi = 3.14159", []string{"Declared in package math."}},
		{"time.Second|", 0, "const time.Second time.Duration = 1000000000", nil},
		{"http.StatusNotFound|", 0, "const http.StatusNotFound = 404", []string{"RFC 9110"}},
		{"io.EOF|", 0, "var io.EOF error", []string{"EOF is the error returned by Read"}},
		{"io.Reader|", 0, "type io.Reader interface {", []string{"\tRead(p []byte) (n int, err error)", "Reader is the interface that wraps"}},
		{"http.Client|{}", 0, "type http.Client struct {", []string{"Timeout time.Duration\n", "// Jar specifies the cookie jar.\n", "func (c *http.Client) Do(req *http.Request) (*http.Response, error)", "!deadline"}},
		{"strings.Builder|", 0, "type strings.Builder struct {", []string{"// has unexported fields", "func (b *strings.Builder) Len() int"}},
		{"mat.Dense|", 0, "type mat.Dense struct {", []string{"// and ", " more methods", "!func (m *mat.Dense) Zero()"}},
		{"mat.Dense|", 1, "type mat.Dense struct {", []string{"func (m *mat.Dense) Zero()"}},
		{"http.DefaultClient.Time|out", 0, "field Timeout time.Duration", []string{"Timeout specifies a time limit"}},
		{"http.Client{Time|out: 3}", 0, "field Timeout time.Duration", []string{"Timeout specifies a time limit"}},
		{"http.DefaultClient.Get|(\"a\")", 0, "func (c *http.Client) Get(url string) (resp *http.Response, err error)", []string{"Get issues a GET"}},
		{"var r io.Reader\nr.Re|ad(nil)", 0, "func (io.Reader) Read(p []byte) (n int, err error)", []string{"Declared in package io."}},
		{"nb.HTML|", 0, "func nb.HTML(", nil},
		// Go's own.
		{"append|", 0, "func append(slice []Type, elems ...Type) []Type", []string{"append built-in function"}},
		{"len(|)", 0, "func len(v Type) int", nil},
		{"var s string|", 0, "type string string", []string{"string is the set of all strings"}},
		{"var b by|te", 0, "type byte = uint8", nil},
		{"var err error|", 0, "type error interface {", []string{"Error() string"}},
		{"x := tr|ue", 0, "const true = true", nil},
		{"nil|", 0, "var nil Type", nil},
		// The session.
		{"scale|", 0, "func scale(factor float64, values ...float64) (out []float64, err error)", []string{"scale multiplies every factor.", "Declared in Cell [3].", "!Source"}},
		{"scale(2, |", 1, "func scale(factor float64, values ...float64) (out []float64, err error)", []string{"Source:", "// every factor.\nfunc scale(factor float64, values ...float64) (out []float64, err error) { return nil, nil }\n"}},
		{"apply|", 0, "func apply[T any](x T, f func(T) T) T", nil},
		{"limit|", 0, "const limit = 40", []string{"of anything"}},
		{"origin|.X", 0, "var origin Point", []string{"origin is where all begins.", "Declared in Cell [3]."}},
		{"origin.X|", 0, "field X float64", []string{"in metres", "Declared in Cell [2]."}},
		{"circle.Norm|()", 0, "func (p Point) Norm() float64", []string{"Norm returns the distance", "Declared in Cell [2]."}},
		{"circle.Norm|()", 1, "func (p Point) Norm() float64", []string{"{ return math.Hypot(p.X, p.Y) }"}},
		{"Point|{1, 2, \"\"}", 0, "type Point struct {", []string{"\tX float64\n", "func (p *Point) Move(dx, dy float64)", "Point is a place."}},
		{"var s Shape|", 1, "type Shape interface {", []string{"\tArea() float64", "Source:", "// Area is never negative."}},
		{"Pair|", 0, "type Pair[K comparable, V any] struct {", []string{"Key   K", "func (p *Pair[K, V]) Swap()"}},
		{"shape.Area|()", 0, "func (Shape) Area() float64", []string{"Area is never negative."}},
		// The cell itself.
		{"// twice doubles.\nfunc twice(n int) int { return 2 * n }\ntwi|ce(3)", 0, "func twice(n int) int", []string{"twice doubles.", "Declared in this cell."}},
		{"x := 1.5\nfmt.Println(x|)", 0, "var x float64", nil},
		{"lo|cal := origin", 0, "var local Point", nil},
		{"func f(par|ameter []int) {}", 0, "var parameter []int", nil},
		{"func f|unction(a int) {}", 0, "func function(a int)", nil},
		{"func (p Point) Nor|m() float64 { return 0 }", 0, "func (p Point) Norm() float64", nil},
		{"type Fresh| struct{ A int }", 0, "type Fresh struct {", nil},
		{"// 😀\ns := \"😀\"; strings.ToUpper|(s)", 0, "func strings.ToUpper(s string) string", nil},
		{"if x { strings.ToUpper|(", 0, "func strings.ToUpper(s string) string", nil},
		// Generic functions, as they are and as they stand there.
		{"apply|(3, func(n int) int { return n })", 0, "func apply[T any](x T, f func(T) T) T", []string{"Here:\n\nfunc(x int, f func(int) int) int"}},
		{"slices.Sort|([]float64{1})", 0, "func slices.Sort[S ~[]E, E cmp.Ordered](x S)", []string{"func(x []float64)", "Sort sorts a slice"}},
		{"slices.Sort|", 0, "func slices.Sort[S ~[]E, E cmp.Ordered](x S)", []string{"!Here:"}},
		{"maps.Keys|(points)", 0, "func maps.Keys[", []string{"iter.Seq[string]"}},
		{"pair.Sw|ap()", 0, "func (p *Pair[string, int]) Swap()", nil},
		{"pair.Ke|y", 0, "field Key string", nil},
		// Keywords.
		{"func| f() {}", 0, "keyword func", []string{"declares a function"}},
		{"for i := ran|ge 3 {}", 0, "keyword range", []string{"integers below"}},
		{"de|fer f()", 0, "keyword defer", []string{"several such calls run in reverse"}},
		{"switch x { ca|se 1: }", 0, "keyword case", nil},
		// Wrong lines before.
		{"x := foo(1 2\nstrings.ToU|pper(\"a\")", 0, "func strings.ToUpper(s string) string", nil},
		{"fmt.Println(1,\n\t2,\n\t|)", 0, "func fmt.Println(a ...any) (n int, err error)", nil},
		{"plot.New().Add(|)", 0, "func (p *plot.Plot) Add(ps ...plot.Plotter)", []string{"<p>Add adds a Plotters"}},
		{"const (\n\t// One is first.\n\tOne = iota + 1\n\tTwo // second\n)\nTw|o", 0, "const Two = 2", []string{"second"}},
		{"type Q struct {\n\t// Deep is deep.\n\tDeep int\n}\nvar q Q\nq.De|ep", 0, "field Deep int", []string{"Deep is deep."}},
		{"an|y", 0, "type any = interface{}", nil},
		{"svm|.", 0, `package svm // import "github.com/hierml/notebook/hierml/svm"`, []string{"support vector machines"}},
		{"var x []Poi|nt", 0, "type Point struct {", []string{"<pre><code>type Point struct {"}},
		{"// a <b> & c\nfunc escaped(x chan<- int) {}\nesca|ped(nil)", 0, "func escaped(x chan<- int)", []string{"x chan&lt;- int", "a &lt;b&gt; &amp; c"}},
		// Fields, with the comments on them; of the session, too.
		{"svm.Flat{}.C|", 0, "field C float64", []string{"C is the weight of the training error", "Declared in package github.com/hierml/notebook/hierml/svm."}},
		{"e := svm.Flat{}\ne.C|", 0, "field C float64", []string{"C is the weight of the training error"}},
		{"m, err := svm.Flat{C|: 1}.Fit(nil, nil, nil)", 0, "field C float64", []string{"C is the weight of the training error"}},
		{"svm.Flat{C|:", 0, "field C float64", []string{"C is the weight of the training error"}},
		{"svm.Flat{Loss: loss.TopLoss{}, C|:", 0, "field C float64", []string{"C is the weight of the training error"}},
		{"e := &svm.Flat{\n\tC|: 2,\n", 0, "field C float64", []string{"C is the weight of the training error"}},
		{"svm.Fl|at{}", 0, "type svm.Flat struct {", []string{"\t// C is the weight of the training error"}},
		{"Point|{}", 0, "type Point struct {", []string{"\t// in metres\n\tX float64"}},
		{"var s Shape|", 0, "type Shape interface {", []string{"\t// Area is never negative.\n\tArea() float64"}},
		// Variables, with what their types are.
		{"origin|", 0, "var origin Point", []string{"origin is where all begins.", "Type:\n\ntype Point struct {", "func (p Point) Norm() float64", "Point is a place."}},
		{"var m *classifier.Model\nm|", 1, "var m *classifier.Model", []string{"func (m *classifier.Model) Predict(", "Model is a trained model."}},
		{"var e error\ne|", 0, "var e error", []string{"!Type:"}},
		{"n := 1\nn|", 0, "var n int", []string{"!Type:"}},
		{"pair|", 0, "var pair Pair[string, int]", []string{"Type:\n\ntype Pair[K comparable, V any] struct {"}},
		// Nothing.
		{"zzzqqq_nothing|", 0, "", nil},
		{"strings.Nothing|", 0, "", nil},
		{"nothing.ToUpper|", 0, "", nil},
		{"// strings.ToUpper|", 0, "", nil},
		{"x := \"strings.ToUpper|\"", 0, "", nil},
		{"12|", 0, "", nil},
		{"|", 0, "", nil},
		{"?|", 0, "", nil},
		{"fmt.Println(func() { zzz| })", 0, "", nil},
		{"f := func(|", 0, "", nil},
		{`import "no/such|"`, 0, "", nil},
	} {
		source, cursor := enginetest.Cursor(t, tt.source)
		bundle := e.Inspect(source, cursor, tt.detail)
		if bundle == nil {
			if tt.first != "" {
				t.Errorf("%q: nothing", tt.source)
			}
			continue
		}
		plain, markdown := texts(t, bundle)
		first, _, _ := strings.Cut(plain, "\n")
		if !strings.HasPrefix(first, tt.first) || tt.first == "" {
			t.Errorf("%q: %s, want %s", tt.source, first, tt.first)
		}
		for _, want := range tt.more {
			not, negated := strings.CutPrefix(want, "!")
			page, _ := bundle.Data["text/html"].(string)
			if found := strings.Contains(plain, not) || strings.Contains(markdown, not) || strings.Contains(page, not); found == negated {
				t.Errorf("%q: want %s in\n%s", tt.source, want, plain)
			}
		}
	}
}

// texts returns the two forms of a description.
func texts(t testing.TB, bundle *program.Bundle) (plain, markdown string) {
	t.Helper()
	plain, _ = bundle.Data["text/plain"].(string)
	markdown, _ = bundle.Data["text/markdown"].(string)
	if plain == "" || !strings.Contains(markdown, "go\n") {
		t.Errorf("plain %q, markdown %q", plain, markdown)
	}
	return plain, markdown
}

func FuzzInspect(f *testing.F) {
	for _, source := range append(earlier, "f(g(1, []int{2", "fmt.Println(x.y?", "x\x80.y(", "import \"net/http\"", "`", "type T = Point\nfunc (t T) M() {}", "L: for { break L }") {
		f.Add(source, len(source), 0)
		f.Add(source, len(source)/2, 1)
	}
	e := newAssistant(f, earlier...)
	f.Fuzz(func(t *testing.T, source string, cursor, detail int) {
		enginetest.FailOnFaults(t)
		if bundle := e.Inspect(source, cursor, detail); bundle != nil {
			if plain, _ := texts(t, bundle); !utf8.ValidString(plain) && utf8.ValidString(source) {
				t.Errorf("%q", plain)
			}
		}
	})
}
