package assist_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hierml/notebook/kernel/internal/assist"
	"github.com/hierml/notebook/kernel/internal/enginetest"
)

// checkCandidates completes sources with a bar for the cursor, and compares the candidates with
// what is wanted of them, as unlike does.
func checkCandidates(t *testing.T, e *assist.Assistant, cases []struct{ source, want string }) {
	t.Helper()
	enginetest.FailOnFaults(t)
	for _, tt := range cases {
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

// TestCompleteAfterFaults completes cells with wrong lines before, or after, the cursor.
func TestCompleteAfterFaults(t *testing.T) {
	checkCandidates(t, newAssistant(t, earlier...), []struct{ source, want string }{
		{"x := foo(1 2)\ny := origin\ny.N|", "= Norm name"},
		{"a := origin\nfmt.Println(a\nb := circle\nb.Da|", "= Dark"},
		{"fmt.Println(a[1\nfor _, p := range points {\n\tp.No|", "= Norm"},
		{"list := []int{1, 2\nb := circle\nb.Da|", "= Dark"},
		{"f(g(h[1\nif origin.No|", "= Norm"},
		{"x := )\nlater := origin\nlat|", "= later"},
		{"]]]\nlater := origin\nlat|", "= later"},
		{"x := 1 +\nlater := origin\nlat|", "= later"},
		{"x :=\nlater := origin\nlat|", "= later"},
		{"func broken( {\n}\nlater := origin\nlat|", "= later"},
		{"func broken() int {\n\tif x y {\n\t\treturn 1\n\t}\n}\nlater := origin\nlat|", "= later"},
		{"func k() {\n\tzed := origin\n\tif zed.X y {\n\t\tzed.No|\n\t}\n}", "= Norm"},
		{"func k() {\n\tif = 3\n\tzed := origin\n\tze|", "= zed"},
		{"func k() {\n\tfor i := range {\n\t}\n\tzed := origin\n\tze|", "= zed"},
		{"func k() {\n\tvar x int = \"a\"\n\ty := nothing(3)\n\tzed := origin\n\tzed.No|\n}", "= Norm"},
		{"x, y := 1\nlater := origin\nlat|", "= later"},
		{"type T struct {\n\tA int B int\n\tC string\n}\nlater := T{}\nlater.C|", "= C"},
		{"type T struct {\n\tA int = 3\n}\nlater := origin\nlat|", "= later"},
		{"const = 3\nlater := origin\nlat|", "= later"},
		{"s := \"open\nlater := origin\nlat|", "= later"},
		{"c := 'open\nlater := origin\nlat|", "= later"},
		{"import \"no/such/package\"\nlater := origin\nlat|", "= later"},
		{"import \"net/http\nlater := origin\nlat|", "= later"},
		{"import net/http\nlater := origin\nlat|", "= later"},
		{"import \"net/url\"\nx := 1 2\nurl.ParseQ|", "= ParseQuery"},
		{"x := 1 2\nbelow|\nfunc belowHere() {}", "= belowHere"},
		{"below|\nfunc k() { x := 1 2 }\nfunc belowHere() {}", "= belowHere"},
		{"below|\nx := (\nfunc belowHere() {}", "= belowHere"},
		{"func k() {\n\tzed := origin\n\tze|\n\tif x y {\n\t}\n}\nfunc l() {}", "= zed"},
		{"switch origin.X {\ncase 1 2:\n\tx := 1\ncase 3:\n\tzed := origin\n\tze|", "= zed"},
		{"s := `a\nb` c\nlater := origin\nlat|", "= later"},
		{"else {\n}\nlater := origin\nlat|", "= later"},
		{"return return\nlater := origin\nlat|", "= later"},
		{"x := 1 2; later := origin; lat|", "= later"},
		{"😀 := 1; strings.HasPre|", "= HasPrefix"},
		{"go origin\nlater := origin\nlat|", "= later"},
	})
}

// TestCompleteExpected looks at the order of candidates where a type is expected, and at places
// where only types can stand.
func TestCompleteExpected(t *testing.T) {
	const colors = "type Color int\nconst (\n\tRed Color = iota\n\tGreen\n)\nvar wall Color\n"
	checkCandidates(t, newAssistant(t, earlier...), []struct{ source, want string }{
		// Values.
		{"var p Point = |", "origin circle"},
		{"var p *Circle = |", "circle origin"},
		{"var p Point\np = |", "p Point circle"},
		{"x, s := 1, \"\"\ns = |", "s x"},
		{"origin.X = origin.|", "= X Y Norm Move name"},
		{"origin.Move(1, origin.|", "= X Y Norm Move name"},
		{"math.Sqrt(math.|", "E Pi Abs Float64bits"},
		{"apply(origin, func(p Point) Point { return | })", "p circle"},
		{"apply(circle, |", "apply"},
		{"max(origin.X, origin.|", "X Y Norm name"},
		{"func g() (Point, error) { return | }", "origin circle"},
		{"func g() (s string, p Point) { return \"\", | }", "origin circle"},
		{"func (p Point) Where() *Circle { return | }", "circle origin"},
		{"f := func() *Circle { return | }", "circle origin"},
		{"if origin.X == origin.|", "= X Y Norm Move name"},
		{"s := \"\"\nif s != origin.|", "= name Move Norm X Y"},
		{"ch := make(chan *Circle)\nch <- |", "circle ch"},
		{"key, number := \"a\", 1\npoints[|", "key number"},
		{"key, number := \"a\", 1\nlist := []int{}\nlist[|", "number key"},
		{"key, number := \"a\", 1\n[]string{|", "key number"},
		{"key, number := \"a\", 1\nPoint{name: |", "key number"},
		{"key, number := \"a\", 1\nmap[string]int{|", "key number"},
		{"key, number := \"a\", 1\nmap[string]int{\"a\": |", "number key"},
		{"key, number := \"a\", 1\ndelete(points, |", "key number"},
		{"key, number := \"a\", 1\nappend([]int{}, |", "number key"},
		{"yes, number := true, 1\nif |", "yes number"},
		{"yes, number := true, 1\nif !|", "yes number"},
		{"yes, number := true, 1\nfor number < 3 && |", "yes number"},
		{"&http.Server{Handler: http.|", "DefaultServeMux AllowQuerySemicolons"},
		{"time.Sleep(2 * time.|", "Hour Second January"},
		{"http.NewRequest(http.Method|", "MethodGet MethodPost"},
		{"shape = |", "shape nil origin"},
		{"for _, p := range |", "points häuser"},
		{"text := \"\"\nfor _, p := range |", "text points häuser"},
		{"defer origin.|", "= Move Norm X Y name"},
		{"go |", "apply scale circle"},
		{"var wg sync.WaitGroup\ndefer wg.|", "Done"},
		// Constants of a type.
		{colors + "var c Color = |", "Green Red Color"},
		{colors + "switch wall {\ncase |", "Green Red Color origin"},
		{colors + "switch wall {\ncase Red, |", "Green Red Color origin"},
		{colors + "if wall == |", "Green Red wall Color origin"},
		{"const (\n\ta = i|", "iota"},
		{"x := iot|", "!iota"},
		// Types.
		{"var x lim|", ""},
		{"var x sca|", "scanner !scale"},
		{"func f(x Poi|", "= Point"},
		{"func f() Poi|", "= Point"},
		{"func f() (Point, *Poi|", "= Point"},
		{"type T Poi|", "= Point"},
		{"type T = Poi|", "= Point"},
		{"func f[T Sha|", "Shape !shape"},
		{"x := make(chan Poi|", "= Point"},
		{"x := make([]Poi|", "= Point"},
		{"x := new(Poi|", "= Point points"},
		{"any(shape).(*Poi|", "= Point"},
		{"switch any(shape).(type) {\ncase |", "Circle Point !origin"},
		{"switch shape.(type) {\ncase |", "circleShape Point !origin"},
		{"shape.(|", "circleShape Point !origin"},
		{"var x [lim|]int", "= limit"},
		{"p := (*Poi|", "= Point points"},
	})
}

// TestCompleteBranches looks at labels and at keywords.
func TestCompleteBranches(t *testing.T) {
	checkCandidates(t, newAssistant(t, earlier...), []struct{ source, want string }{
		{"L:\nfor {\n\tfor {\n\t\tbreak |\n\t}\n}", "= L"},
		{"Outer:\nfor i := range 3 {\n\tcontinue O|\n}", "= Outer"},
		{"Outer:\nfor {\nInner:\n\tfor {\n\t\tcontinue |\n\t}\n}", "= Inner Outer"},
		{"Outer:\nswitch {\ncase true:\n\tfor {\n\t\tcontinue |\n\t}\n}", ""},
		{"Outer:\nswitch {\ncase true:\n\tfor {\n\t\tbreak |\n\t}\n}", "= Outer"},
		{"Outer:\nfor {\n\tf := func() { break | }\n}", ""},
		{"L:\nfor {\n}\nfor {\n\tbreak |\n}", ""},
		{"goto |\ndone:\nfmt.Println()", "= done"},
		{"func f() {\nagain:\n\tif true {\n\t\tgoto a|\n\t}\n}", "= again"},
		{"if true {\n} el|", "= else"},
		{"if true {\n} else {\n} el|", ""},
		{"if true {\n} else if false {\n} el|", "= else"},
		{"for {\n} el|", ""},
		{"func f() {\n\tif true {\n\t} el|", "= else"},
		{"fmt.Println(retur|", ""},
		{"func f() { defer retur|", ""},
		{"x.(stru|", "struct"},
		{"func f(x int) { if x > 1 { return }; x|", "= x x509 xml"},
		{"x := []int{1}\nx[0] |", ""},
		{"f(1) |", ""},
		{"x := []|", "Point string map"},
		{"switch {\ncase true:\n\tbrea|", "= break"},
	})
}

// TestCompleteWords looks at what is replaced.
func TestCompleteWords(t *testing.T) {
	e := newAssistant(t, earlier...)
	for _, tt := range []struct {
		source     string
		start, end int
	}{
		{"strings.HasPre|", 8, 14},
		{"strings.HasPre|fix(x)", 8, 17},
		{"strings.|HasPrefix(x)", 8, 17},
		{"strings.HasPre|x", 8, 14}, // x is not of HasPrefix
		{"lim|it + 1", 0, 5},
		{"|limit", 0, 5},
		{"|", 0, 0},
		{"limit|", 0, 5},
		{"😀 := 1; lim|it", 8, 13},
		{"s := \"e\u0301😀\"; lim|it", 12, 17},
		{"x := 1\r\n\tlim|it\r\n", 9, 14},
		{"\t\tfmt.Prin|t(1)", 6, 11},
		{"häus|er", 0, 6},
		{"zzzqqq|", 6, 6},
	} {
		source, cursor := enginetest.Cursor(t, tt.source)
		if got := e.Complete(source, cursor); got.Start != tt.start || got.End != tt.end {
			t.Errorf("%q: replaces %d to %d, want %d to %d", tt.source, got.Start, got.End, tt.start, tt.end)
		}
	}
}

// TestCompletePaths completes names of files in the folder of the cells.
func TestCompletePaths(t *testing.T) {
	folder, home := t.TempDir(), t.TempDir()
	for _, name := range []string{"a.csv", "b \"x\".csv", "back\\slash", "deep/c.csv", ".hidden/d.csv"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("deep", filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	e := newAssistant(t)
	e.Folder = func() string { return folder }
	for _, tt := range []struct {
		source string
		want   []string
	}{
		{`os.Open("|`, []string{"deep/", "link/", "a.csv", `b \"x\".csv`, `back\\slash`}},
		{"os.Open(`|", []string{"deep/", "link/", "a.csv", `b "x".csv`, `back\slash`}},
		{`os.Open("b \"|`, []string{`b \"x\".csv`}},
		{`os.Open("back\\|`, []string{`back\\slash`}},
		{`os.Open("deep/|")`, []string{"c.csv"}},
		{`os.Open("./link/|")`, []string{"c.csv"}},
		{`os.Open(".h|")`, []string{".hidden/"}},
		{`os.Open("~/n|")`, []string{"notes.txt"}},
		{`os.Open("` + folder + `/a|")`, []string{"a.csv"}},
		{`os.Open("nothing/|")`, nil},
		{`fmt.Println("a\q|")`, nil},
		{`import "htt|"`, []string{"net/http", "net/http/cgi", "net/http/cookiejar", "net/http/fcgi", "net/http/httptest", "net/http/httptrace", "net/http/httputil"}},
	} {
		source, cursor := enginetest.Cursor(t, tt.source)
		var texts []string
		for _, c := range e.Complete(source, cursor).Candidates {
			texts = append(texts, c.Text)
		}
		if !slices.Equal(texts, tt.want) {
			t.Errorf("%s: %q, want %q", tt.source, texts, tt.want)
		}
	}
}
