package assist_test

import (
	"go/types"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/hierml/notebook/kernel/internal/assist"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

var _ = stdlib.Importer.(program.Library)

// earlier are the cells before the one that the tests complete and inspect.
var earlier = []string{
	`import (
	"net/http"
	str "strings"
)
import . "cmp"`,
	`// A Shape has an area.
type Shape interface {
	// Area is never negative.
	Area() float64
}

// Point is a place.
type Point struct {
	X, Y float64 // in metres
	name string
}

// Norm returns the distance from the origin.
func (p Point) Norm() float64 { return math.Hypot(p.X, p.Y) }

// Move moves p.
func (p *Point) Move(dx, dy float64) { p.X += dx; p.Y += dy }
type Circle struct {
	Point
	*Style
	Radius float64
}
type Style struct { Color string; depth int }
func (s *Style) Dark() bool { return s.depth > 0 }`,
	`// scale multiplies
// every factor.
func scale(factor float64, values ...float64) (out []float64, err error) { return nil, nil }

const limit = 40 // of anything

// origin is where all begins.
origin := Point{}
circle := &Circle{}
points := map[string]*Point{}
var shape Shape = circleShape{}
type circleShape struct{}
func (circleShape) Area() float64 { return 1 }
type Pair[K comparable, V any] struct { Key K; Value V }
func (p *Pair[K, V]) Swap() {}
pair := Pair[string, int]{}
func apply[T any](x T, f func(T) T) T { return f(x) }
häuser := 3`,
}

// newAssistant returns an assistant in a session of cells, of which none has run.
func newAssistant(t testing.TB, cells ...string) *assist.Assistant {
	t.Helper()
	session := enginetest.NewSession()
	for i, source := range cells {
		if _, err := session.Lower(program.Cell{Number: i + 1, Source: source}); err != nil {
			t.Fatal(err)
		}
	}
	return &assist.Assistant{
		Mutex:   new(sync.Mutex),
		Checker: session.Checker,
		Folder:  func() string { return "" },
		Modules: func(string) []assist.Candidate { return nil },
		Value:   func(*types.Var) string { return "" },

		DataSets: func() []string { return []string{"20news-bydate", "ec10", "ec22", "ng15"} },
	}
}

// TestComplete looks at candidates. What is wanted is exactly "= a b c", or "a b !c" for at least a
// and b, in this order, and not c, or "" for nothing.
func TestComplete(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"data.csv", "data.json", ".hidden"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "datasets"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	enginetest.FailOnFaults(t)
	e := newAssistant(t, earlier...)
	for _, tt := range []struct{ source, want string }{
		// Members of packages, imported, renamed and preloaded.
		{"strings.HasPre|", "= HasPrefix"},
		{"strings.haspre|", "= HasPrefix"},
		{"strings.HasPre|fix(x)", "= HasPrefix"},
		{"str.ToU|", "= ToUpper ToUpperSpecial"},
		{"http.StatusNotF|", "= StatusNotFound"},
		{"mat.NewVec|", "= NewVecDense"},
		{"fmt.Println(math.MaxInt|)", "= MaxInt MaxInt16 MaxInt32 MaxInt64 MaxInt8"},
		{"x := strings.\ny := 2|", ""},
		{"strings.|", "Builder Contains ToUpper !asciiSet !explode"},
		{"var b strings.B|", "= Builder"},
		{"func f(b *strings.B|", "= Builder"},
		{"[]strings.B|", "= Builder"},
		{"// 😀😀😀\nstrings.HasPre|", "= HasPrefix"},
		{"/* 😀 */ s := \"😀\" + strings.HasPre|; t := 1", "= HasPrefix"},
		// The cell's context, where one is wanted.
		{"svm.Flat{}.Fit(|", "nb.Context() origin"},
		{"m := mus|", "= must"},
		{"func f() { mu|", "must multipart"},
		{"fmt.Println(must|(1", "= must"},
		{"must := 3\nmus|", "= must"},
		{"strings.mus|", ""},
		{"var x mus|", ""},
		{"svm.Flat{}.Fit(n|", "nb.Context() nb"},
		{"func f(ctx context.Context) { svm.Flat{}.Fit(|", "ctx nb.Context()"},
		{"var ctx context.Context = |", "nb.Context()"},
		{"svm.Flat{}.Fit(nb.Context(), n|", "nb !nb.Context()"},
		{"nb := 3\nsvm.Flat{}.Fit(|", "nb !nb.Context()"},
		{"func f(ctx c|", "context !nb.Context()"},
		// Fields and methods.
		{"origin.|", "= Move Norm X Y name"},
		{"origin.n|", "= name Norm"},
		{"origin.N|", "= Norm name"},
		{"circle.|", "= Color Dark Move Norm Point Radius Style X Y depth name"},
		{"circle.Point.Mo|", "= Move"},
		{"(*circle).Da|", "= Dark"},
		{"points[\"a\"].M|", "= Move"},
		{"shape.|", "= Area"},
		{"pair.|", "= Key Swap Value"},
		{"Point.|", "= Move Norm"},
		{"http.DefaultClient.T|", "= Timeout Transport"},
		{"http.DefaultClient.|", "Do Get Timeout !checkRedirect !deadline"},
		{"var err error\nerr.|", "= Error"},
		{"var b strings.Builder\nb.Wr|", "= Write WriteByte WriteRune WriteString"},
		{"time.Now().Ad|", "= Add AddDate"},
		{"time.Now().Add(3).Ye|", "= Year YearDay"},
		{"strings.NewReader(\"a\").Le|", "= Len"},
		{"mat.NewDense(2, 2, nil).T().Di|", "= Dims"},
		{"origin.nothing.|", ""},
		{"5.|", ""},
		{"x := 1.5|", ""},
		{"nothing.|", ""},
		{"a, _ := scale(1)\na[0].|", ""},
		{"v := apply(origin, func(p Point) Point { return p.|", "= Move Norm X Y name"},
		{"defer circle.Da|", "= Dark"},
		{"go func() { circle.Da|", "= Dark"},
		{"go func() { circle.Da| }()", "= Dark"},
		{"for i := 0; i < circle.Ra|", "= Radius"},
		{"for _, p := range points { p.Mo| }", "= Move"},
		{"if origin.No|", "= Norm"},
		{"if x := circle; x.Ra| > 3 { fmt.Println() }", "= Radius"},
		{"switch circle.Da|", "= Dark"},
		{"switch { case circle.Da|", "= Dark"},
		{"switch v := any(origin).(type) { case Point: v.No|", "= Norm"},
		{"f(origin.X, g(h[circle.Ra|", "= Radius"},
		{"return origin.No|", "= Norm"},
		{"func g() float64 { return origin.No| }\nfunc h() {}", "= Norm"},
		{"select { case x := <-circle.Da|", "= Dark"},
		// Cells of several lines, with text behind the cursor.
		{"plot.New().\n\tAd|", "= Add"},
		{"circle.\n\tPoint.\n\tMo|\nx := 1", "= Move"},
		{"c := http.Client{\n\tTimeout: 3 * time.Seco|,\n}", "= Second"},
		{"c := http.Client{\n\tTi|\n\tJar: nil,\n}", "Timeout"},
		{"strings.Replace(str.ToUp|, \"b\", 1)", "= ToUpper ToUpperSpecial"},
		{"for _, x := range circle.Ra| {\n\tfmt.Println(x)\n}", "= Radius"},
		{"slices.SortFunc([]Point{}, func(a, b Point) int {\n\treturn cmp.Compare(a.No|, b.Norm())\n})", "= Norm"},
		{"var wg sync.WaitGroup\nwg.D|\nwg.Wait()", "= Done"},
		{"switch v := any(shape).(type) {\ncase *Circle:\n\tv.Ra|\ncase Point:\n}", "= Radius"},
		{"import \"fmt\"\n\nfunc main() {\n\tfmt.Sprintl|\n}", "= Sprintln"},
		{"if a := circle; a.Dark() {\n\ta.Da|\n} else {\n\ta.Move(1, 2)\n}", "= Dark"},
		{"if circle.Dark() {\n} else if circle.Da|", "= Dark"},
		{"f := func() *Circle { return nil }\nf().Po|", "= Point"},
		{"ch := make(chan Point)\n(<-ch).No|", "= Norm"},
		{"list := []Point{}\nlist[0:2][1].No|", "= Norm"},
		{"m := map[string][]Circle{}\nm[\"a\"][0].Style.Co|", "= Color"},
		{"fmt.Println(\"a\"\nstrings.HasPre|", "= HasPrefix"},
		{"f := os.Open(\"a\")\nf.Clo|", "= Close"},
		{"f := os.Open(\"a\")\ninfo := f.Stat()\ninfo.IsD|", "= IsDir"},
		{"x := struct{ Inner struct{ Deep int } }{}\nx.Inner.De|", "= Deep"},
		{"var f func(p Point)\nf(Point{}.No|", "= Norm"},
		{"p := new(Point)\np.Mo|", "= Move"},
		{"x, err := strconv.Atoi(\"1\")\nerr.Er|", "= Error"},
		{"L:\nfor {\n\tbreak L|\n}", "= L"},
		{"const c = math.MaxInt|8", "= MaxInt MaxInt16 MaxInt32 MaxInt64 MaxInt8"},
		{"type T struct {\n\tA int\n\tB http.Cli|\n}", "= Client ClientConn"},
		{"type T interface {\n\tio.Read|\n}", "ReadCloser ReadWriter Reader"},
		{"func f() (n int, err err|)", "error errors"},
		{"x := 1; y := x +\n\tlim|", "= limit"},
		// Cells of their own types.
		{"type T struct{ Field int; field string }\nfunc (t *T) Method() {}\nvar t T\nt.|", "= Field Method field"},
		{"t := T{}\nt.Fi|\ntype T struct{ First int }", "= First"},
		{"func (p *Point) Turn(a float64) { p.|", "= Move Norm Turn X Y name"},
		{"func (p *Point) Turn(a float64) {}\norigin.Tu|", "= Turn"},
		{"type Point struct { Z int }\nvar p Point\np.|", "= Z"},
		{"func use(list []T) { for _, e := range list { e.V| } }\ntype T struct{ Value int }", "= Value"},
		{"type N[T Shape] struct { v T }\nfunc (n N[T]) Do() { n.v.|", "= Area"},
		// Names in scope.
		{"orig|", "= origin"},
		{"Orig|", "= origin"},
		{"ha|", "!häuser"},
		{"hä|", "= häuser"},
		{"x := 1\nfmt.Println(sca|)", "= scale scalar scanner"},
		{"lim|it + 1", "= limit"},
		{"local := 1; lo|", "local log !lowercase"},
		{"func f(parameter int) { para|", "= parameter"},
		{"func f() (result int) { for index := range 3 { in|", "index int interp !init !result"},
		{"{ inner := 1 }\ninn|", ""},
		{"later|\nlaterVariable := 1", ""},
		{"func f() { later| }\nlaterVariable := 1", "= laterVariable"},
		{"func f() { g| }\nfunc gamma() {}", "= gamma go goto gen gexf12 gif gob gosym gram graph graph6 graphql gzip"},
		{"f := func(alpha, beta int) int { return al|", "= alpha"},
		{"if number := 1; num|", "= number"},
		{"var p Poi|", "= Point"},
		{"p := []Poi|", "= Point"},
		{"p := map[string]Poi|", "= Point"},
		{"p, ok := x.(*Cir|", "= Circle circleShape"},
		{"type T struct { p Poi|", "= Point"},
		{"func f(p *Poi|) int {\n\treturn 1\n}", "= Point"},
		{"func (p *Poi|", "= Point"},
		{"dataset.|", "= Balance Beside Builder Collect Collection Column Corpus Dataset Description Division Document Feature FromDense Group ID Instance Kind LabelSets Labels Map Mapped Matrix MatrixOf NewTable Nominal Number Numbers Part Path Prints Repeats Role Row SaveMap Set Sets Table Text Texts Unused Weight Words"},
		{"str|", "= str string struct strconv strings structs structured"},
		{"htt|", "= http httptest httptrace httputil"},
		{"Compa|", "= Compare comparable"},
		{"appen|", "= append"},
		{"tru|", "= true"},
		{"zzzqqq_nothing|", ""},
		{"|", "origin scale append for fmt"},
		{"a__cursor := 1\na__c|", ""},
		// Keywords.
		{"ret|", ""},
		{"func f() int { ret|", "= return"},
		{"fo|", "= for font forest format fourier"},
		{"x := ran|", "= rand"},
		{"for i := ran|", "= range rand"},
		{"for { bre|", "= break brewer"},
		{"bre|", "= brewer"},
		{"if x { } el|", "= else"},
		{"if true {\n} else i|", "if !import"},
		{"switch origin.X { ca|", "= cap case cache calibration card"},
		{"switch 1 { case 1: fallt|", "= fallthrough"},
		{"impo|", "= import importer"},
		{"func f() { impo|", "= importer"},
		{"x := stru|", "= struct structs structured"},
		{"x := go|", "!go !goto"},
		// Struct literals.
		{"Point{|", "= X Y name"},
		{"Point{X: 1, |", "= Y name"},
		{"Point{X: ori|", "= origin"},
		{"&http.Client{Tim|", "= Timeout time"},
		{"http.Client{Timeout: 3, |}", "= CheckRedirect Jar Transport"},
		{"[]Point{{X|", "= X x509 xml"},
		{"map[string]*Point{\"a\": {n|", "name nb !Norm"},
		{"Point{1, ori|", "= origin"},
		{"[]int{lim|", "= limit"},
		// Strings and comments.
		{`import "net/htt|`, "= net/http net/http/cgi net/http/cookiejar net/http/fcgi net/http/httptest net/http/httptrace net/http/httputil"},
		{"import (\n\t\"fmt\"\n\tm \"gonum.org/v1/gonum/ma|\"\n)", "= gonum.org/v1/gonum/mat gonum.org/v1/gonum/mathext gonum.org/v1/gonum/mathext/prng"},
		{`os.ReadFile("da|")`, "= datasets/ data.csv data.json"},
		{`os.ReadFile("./data.c|`, "= data.csv"},
		{`collection.Open("|`, "= 20news-bydate ec10 ec22 ng15"},
		{`d := collection.Open("ec|")`, "= ec10 ec22"},
		{`c, err := collection.OpenContext(nb.Context(), "n|"); _ = err`, "= ng15"},
		{"collection.OpenTexts(`2|`)", "= 20news-bydate"},
		{`collection.Download{}.Open(nb.Context(), "ng|`, "= ng15"},
		{`func f() { d, err := collection.Open("ng|`, "= ng15"},
		{`fmt.Println(collection.Open("ng|"), 2)`, "= ng15"},
		{`collection.Open("da|")`, ""},
		{`collection.GoDoc("da|")`, "= datasets/ data.csv data.json"},
		{`collection.Open(strings.ToLower("da|"))`, "= datasets/ data.csv data.json"},
		{"import \"os\"\nos.ReadFile(`data.j|", "= data.json"},
		{`os.ReadFile(".h|")`, "= .hidden"},
		{`fmt.Println("strings.HasPre|")`, ""},
		{"// strings.HasPre|", ""},
		{"x := 1 // strings.HasPre|\ny := 2", ""},
		{"/* strings.HasPre| */", ""},
		{"/* strings.HasPre|", ""},
		{"'s|", ""},
		{"\"done\" // é\nstrings.HasPre|", "= HasPrefix"},
		// Names that the cell gives.
		{"func orig|", ""},
		{"type Poi|", ""},
		{"var orig|", ""},
		{"const lim|", ""},
		// What does not parse.
		{"x := )\norig|", "= origin"},
		{"func f( {\norig|", "= origin"},
		{"if { for ( origin.No|", "= Norm"},
		{"func f() {\n\tfor {\n\ty := origin\n\ty.No|\n}\nfunc g() {}", "= Norm"},
	} {
		source, cursor := enginetest.Cursor(t, tt.source)
		got := e.Complete(source, cursor)
		var texts []string
		for _, c := range got.Candidates {
			texts = append(texts, c.Text)
		}
		if problem := unlike(texts, tt.want); problem != "" {
			t.Errorf("%q: %s\ngot  %.300q\nwant %s", tt.source, problem, texts, tt.want)
		}
		checkBounds(t, source, cursor, got)
	}
}

// unlike says how a list differs from what is wanted of it.
func unlike(got []string, want string) string {
	if exact, ok := strings.CutPrefix(want, "= "); ok {
		if !slices.Equal(got, strings.Fields(exact)) {
			return "other candidates"
		}
		return ""
	}
	if want == "" && len(got) > 0 {
		return "candidates where there are none"
	}
	last := -1
	for _, w := range strings.Fields(want) {
		if not, ok := strings.CutPrefix(w, "!"); ok {
			if slices.Contains(got, not) {
				return "has " + not
			}
			continue
		}
		i := slices.Index(got, w)
		if i < 0 {
			return "lacks " + w
		}
		if i < last {
			return w + " comes too early"
		}
		last = i
	}
	return ""
}

// checkBounds looks at what a completion would replace.
func checkBounds(t testing.TB, source string, cursor int, got assist.Completion) {
	t.Helper()
	if got.Start < 0 || got.Start > cursor || got.End < cursor || got.End > utf8.RuneCountInString(source) {
		t.Errorf("%q: replaces %d to %d, cursor at %d", source, got.Start, got.End, cursor)
		return
	}
	if len(got.Candidates) == 0 && got.Start != cursor {
		t.Errorf("%q: replaces %d to %d by nothing", source, got.Start, got.End)
	}
	if !utf8.ValidString(source) {
		return
	}
	replaced := string([]rune(source)[got.Start:cursor])
	word := string([]rune(source)[got.Start:got.End])
	if got.End > cursor && !slices.ContainsFunc(got.Candidates, func(c assist.Candidate) bool { return strings.HasPrefix(c.Text, word) }) {
		t.Errorf("%q: replaces %s, which nothing completes", source, word)
	}
	seen := map[string]bool{}
	for _, c := range got.Candidates {
		text, replaced := c.Text, replaced
		if c.Kind == "magic" && strings.HasPrefix(replaced, "%") { // magics of a whole cell are offered after one sign too
			text, replaced = strings.TrimLeft(text, "%"), strings.TrimLeft(replaced, "%")
		}
		begins := len(text) >= len(replaced) && strings.EqualFold(text[:len(replaced)], replaced)
		if !begins && !(c.Kind == "package" && strings.Contains(c.Text, "/"+replaced)) {
			t.Errorf("%q: %q does not complete %q", source, c.Text, replaced)
		}
		if seen[c.Text] || c.Kind == "" {
			t.Errorf("%q: %+v comes twice or is of no kind", source, c)
		}
		seen[c.Text] = true
	}
}

func TestCompleteSaysWhatItIs(t *testing.T) {
	e := newAssistant(t, earlier...)
	for _, tt := range []struct{ source, kind, signature string }{
		{"strings.HasPrefix|", "function", "(s, prefix string) bool"},
		{"scale|", "function", "(factor float64, values ...float64) (out []float64, err error)"},
		{"apply|", "function", "[T any](x T, f func(T) T) T"},
		{"origin.Move|", "method", "(dx, dy float64)"},
		{"origin.X|", "field", "float64"},
		{"origin|", "variable", "Point"},
		{"points|", "variable", "map[string]*Point"},
		{"limit|", "constant", "untyped int"},
		{"Point|", "struct", "struct{...}"},
		{"Shape|", "interface", "interface{...}"},
		{"time.Duration|", "type", "int64"},
		{"http.MethodGet|", "constant", "untyped string"},
		{"filepath|", "package", `"path/filepath"`},
		{"str|", "package", `"strings"`},
		{"copy|", "function", "(dst, src []Type) int"},
		{"error|", "interface", "interface{...}"},
		{"for|", "keyword", ""},
		{"import \"net/ur|", "package", ""},
		{"http.DefaultClient|", "variable", "*http.Client"},
	} {
		source, cursor := enginetest.Cursor(t, tt.source)
		got := e.Complete(source, cursor)
		if len(got.Candidates) == 0 {
			t.Errorf("%s: nothing", tt.source)
		} else if c := got.Candidates[0]; c.Kind != tt.kind || c.Signature != tt.signature {
			t.Errorf("%s: %+v, want %s %s", tt.source, c, tt.kind, tt.signature)
		}
	}
}

func FuzzComplete(f *testing.F) {
	for _, source := range append(earlier, "x := 1\nfor i := range x { fmt.", "switch x := origin.(type) { case Point: x.", "T{a: 1, b", "func (p *Point) M() { p.", "a\x80\xffb.", "import \"net/", "import \"ca", "`raw", "'", "/*", "if x := f(); x {\n} else {", "origin.X.Y[0](", "%b", "%%") {
		f.Add(source, len(source))
		f.Add(source, len(source)/2)
	}
	e := newAssistant(f, earlier...)
	f.Fuzz(func(t *testing.T, source string, cursor int) {
		enginetest.FailOnFaults(t)
		got := e.Complete(source, cursor)
		checkBounds(t, source, max(0, min(cursor, utf8.RuneCountInString(source))), got)
	})
}

// TestAssistSpoiled completes and inspects in cells that are spoiled.
func TestAssistSpoiled(t *testing.T) {
	enginetest.FailOnFaults(t)
	e := newAssistant(t, earlier...)
	random := rand.New(rand.NewPCG(1, 2))
	for source := range enginetest.Spoiled(t, 2000, "../magics/testdata/magic/*.cells", "../interpreted/lower/testdata/lowering/*.cells") {
		cursor := random.IntN(utf8.RuneCountInString(source) + 1)
		checkBounds(t, source, cursor, e.Complete(source, cursor))
		if bundle := e.Inspect(source, cursor, random.IntN(2)); bundle != nil {
			texts(t, bundle)
		}
	}
}
