package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// TestTests runs tests that cells have declared, by both back ends.
func TestTests(t *testing.T) {
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		folder := t.TempDir()
		n := newWorkerNotebook(t, mode)
		n.runOn(t, "%cd "+folder)
		ran := filepath.Join(folder, "ran")
		for _, c := range []struct {
			source string
			want   []string // parts of what is printed
			not    string
			fails  string
		}{
			{"%test", []string{"No cell has declared a test"}, "", ""},
			{"type Point struct{ x, Y int }\nfunc (p Point) Sum() int { return p.x + p.Y }", nil, "", ""},
			{"x, strings := 7, 1", nil, "", ""},
			{"%rm strings\nfunc TestData() []int { return []int{1, 2} }", nil, "", ""},
			// A test in the cell of the magic, whose keys have the names of other things.
			{"%test -v\nfunc TestSum(t *testing.T) {\n\tif got := (Point{x: 1, Y: 2}).Sum(); got != 3 {\n\t\tt.Error(got)\n\t}\n}",
				[]string{"--- PASS: TestSum", "PASS\n"}, "note", ""},
			// Statements are not run; a failure names the cell and its line.
			{"!echo -n x >> ran\ntable := map[string]int{\"a\": must(strconv.Atoi(\"1\"))}\ntable[\"b\"] = 2\nn, m := must(strconv.Atoi(\"1\")), 2", nil, "", ""},
			{"size := strconv.Atoi(\"12\")\nsize++", nil, "", ""},
			{"func TestTable(t *testing.T) {\n\tif len(table) != 2 || size != 12 {\n\t\tt.Error(len(table), size)\n\t}\n}\n\n%test -run Table",
				[]string{"--- FAIL: TestTable", "Cell [9]:3: 1 12"}, "Point", "tests have failed"},
			// The newest declaration of each name.
			{"func double(x int) int { return x }\nconst (\n\tzero = iota\n\tone\n)", nil, "", ""},
			{"func double(x int) int { return 2 * x }\nconst zero = \"0\"", nil, "", ""},
			{"func TestTable(t *testing.T) {\n\tif got := double(one); got != 2 || zero != \"0\" {\n\t\tt.Error(got)\n\t}\n}\nfunc ExamplePoint() {\n\tfmt.Println(Point{}.Sum())\n\t// Output: 0\n}\nfunc FuzzDouble(f *testing.F) {\n\tf.Add(3)\n\tf.Fuzz(func(t *testing.T, x int) {\n\t\tif double(x) != x+x {\n\t\t\tt.Error(x)\n\t\t}\n\t})\n}\nfunc BenchmarkDouble(b *testing.B) {\n\tfor b.Loop() {\n\t\tdouble(3)\n\t}\n}", nil, "", ""},
			{"%test -bench . -benchtime=1x -v", []string{"--- PASS: ExamplePoint", "--- PASS: FuzzDouble/seed#0", "BenchmarkDouble", "PASS\n"}, "FAIL", ""},
			// Files are those of the cells' folder, and the environment is theirs.
			{"%env WHICH=that\nfunc TestTable(t *testing.T) {\n\tif data, err := os.ReadFile(\"ran\"); err != nil || string(data) != \"x\" || os.Getenv(\"WHICH\") != \"that\" {\n\t\tt.Error(string(data), err)\n\t}\n}\n%test -run=Table", []string{"PASS\n"}, "", ""},
			{"%goflags", []string{"No flags are set for the go command."}, "", ""},
			{"%goflags -tags extra '-ldflags=-X session/tests.stamp=now'", []string{"-tags=extra -ldflags=-X session/tests.stamp=now\n"}, "", ""},
			{"var stamp string\nfunc TestTable(t *testing.T) {\n\tif stamp != \"now\" {\n\t\tt.Error(stamp)\n\t}\n}\n%test -run Table", []string{"PASS\n"}, "", ""},
			{"%goflags --", []string{"No flags are set"}, "", ""},
			{"%test -run Table", []string{"FAIL: TestTable"}, "", "tests have failed"},
			// What does not fit together any more is told with its place.
			{"func TestTable(t *testing.T) {\n\tdouble(3)\n}", nil, "", ""},
			{"func double(x string) string { return x }\n%test", nil, "", "Cell [20]:2: cannot use 3 (untyped int constant) as string value in argument to double"},
		} {
			_, d, notes, err := n.runNoting(c.source)
			d += notes
			for _, want := range c.want {
				if !strings.Contains(d, want) {
					t.Errorf("%s\nprints %q\nwant %q in it", c.source, d, want)
				}
			}
			if c.not != "" && strings.Contains(d, c.not) {
				t.Errorf("%s\nprints %q\nwith %q in it", c.source, d, c.not)
			}
			if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s\nfails by %v, want %q", c.source, err, c.fails)
			}
		}
		if data, err := os.ReadFile(ran); err != nil || string(data) != "x" {
			t.Errorf("a statement was run for tests: %q, %v", data, err)
		}
	})
}

// TestTestsByName runs tests by their names, and a fuzz test with random inputs, whose failing one
// is shown and can be run again.
func TestTestsByName(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	folder := t.TempDir()
	n.runOn(t, "%cd "+folder+"\nfunc TestSum(t *testing.T) {\n\tfor _, name := range []string{\"one\", \"two two\"} {\n\t\tt.Run(name, func(*testing.T) {})\n\t}\n}\nfunc TestSummary(t *testing.T) {}\n"+
		"func BenchmarkSum(b *testing.B) {\n\tfor b.Loop() {\n\t}\n}\nfunc BenchmarkAlone(b *testing.B) {\n\tfor b.Loop() {\n\t}\n}\nfunc ExampleSum() {\n\tfmt.Println(3)\n\t// Output: 3\n}\n"+
		"func FuzzSum(f *testing.F) { f.Fuzz(func(*testing.T, int) {}) }\nfunc FuzzLong(f *testing.F) {\n\tf.Fuzz(func(t *testing.T, s string) {\n\t\tif len(s) > 2 {\n\t\t\tt.Fatal(\"too long\")\n\t\t}\n\t})\n}")
	for _, c := range []struct {
		source, want, not, fails string
	}{
		{"%test Sum -v", "--- PASS: TestSum ", "Summary", ""},
		{"%test Sum -v", "--- PASS: ExampleSum ", "BenchmarkSum", ""},
		{"%test TestSum/one TestSummary -v", "--- PASS: TestSummary ", "two", ""},
		{"%test TestSum/two_two -v", "    --- PASS: TestSum/two_two ", "/one", ""},
		{"%test Sum/t[vw]o -v", "    --- PASS: TestSum/two_two ", "/one", ""},
		{"%test Su -v", "--- PASS: TestSummary ", "BenchmarkSum", ""},
		{"%test TestSum/(", "testing: warning: no tests to run", "RUN", ""},
		{"%test Alone -benchtime 3x", "BenchmarkAlone", "BenchmarkSum", ""},
		{"%test None", "", "", "no cell has declared a test None; there are BenchmarkAlone, BenchmarkSum, ExampleSum, FuzzLong, FuzzSum, TestSum, TestSummary"},
		{"%test Sum -run Sum", "", "", "%test takes the name Sum, or -run, and not both"},
		{"%test -fuzz TestSum", "", "", "no cell has declared a fuzz test TestSum"},
		{"%test -fuzz (", "", "", "is not a regular expression"},
		{"%test -fuzz Sum 20x", "fuzz: elapsed", "TestSum", ""},
		{"%test -fuzz FuzzLong -fuzztime 100000x", "The input that fails is FuzzLong(string(", "", "tests have failed"},
		{"%test Long", "--- FAIL: FuzzLong/", "The input", "tests have failed"},
	} {
		n.cell++
		d := &desk{}
		_, err := n.engine.Run(t.Context(), program.Cell{Number: n.cell, Source: c.source}, d)
		printed := d.Out() + d.Notes()
		if !strings.Contains(printed, c.want) || c.not != "" && strings.Contains(printed, c.not) {
			t.Errorf("%s prints %q, want %q in it, and not %q", c.source, printed, c.want, c.not)
		}
		if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s fails by %v, want %q", c.source, err, c.fails)
		}
	}
	inputs, err := filepath.Glob(filepath.Join(folder, "testdata", "fuzz", "FuzzLong", "*"))
	if err != nil || len(inputs) != 1 {
		t.Fatal(inputs, err)
	}
	again := filepath.Base(inputs[0])
	if _, out, err := n.run("%test -v FuzzLong/" + again); err == nil || !strings.Contains(out, "--- FAIL: FuzzLong/"+again) {
		t.Errorf("%q, %v", out, err)
	}
}

// TestTestsThatExit runs tests that end their program, as go test does.
func TestTestsThatExit(t *testing.T) {
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		n := newWorkerNotebook(t, mode)
		n.runOn(t, "%cd "+t.TempDir()+"\nfunc TestFails(t *testing.T) { t.Error(\"a fails\") }\nfunc TestZero(t *testing.T) { os.Exit(0) }\nfunc TestOne(t *testing.T) { os.Exit(1) }\n"+
			"func TestTwo(t *testing.T) { os.Exit(2) }\nfunc TestThree(t *testing.T) { log.Print(\"three\"); os.Exit(3) }\nfunc TestPasses(t *testing.T) {}\n"+
			"func TestAside(t *testing.T) {\n\tgo os.Exit(0)\n\tselect {}\n}\nfunc ExampleZero() {\n\tos.Exit(0)\n\t// Output:\n}\nfunc FuzzZero(f *testing.F) { f.Fuzz(func(*testing.T, int) { os.Exit(0) }) }")
		const unexpected = "panic: unexpected call to os.Exit(0) during test"
		for _, c := range []struct{ source, prints, fails string }{
			{"%test TestFails TestZero", "--- FAIL: TestFails", "tests have failed: exit status 2"},
			{"%test TestZero", unexpected, "tests have failed: exit status 2"},
			{"%test TestAside", unexpected, "tests have failed: exit status 2"},
			{"%test ExampleZero", unexpected, "tests have failed: exit status 2"},
			{"%test -fuzz FuzzZero 10x", "unexpected call to os.Exit(0) during test", "tests have failed: exit status 1"},
			{"%test TestFails", "--- FAIL: TestFails", "tests have failed: exit status 1"},
			{"%test TestOne", "", "tests have failed: exit status 1"},
			{"%test TestTwo", "", "tests have failed: exit status 2"},
			{"%test TestThree", "three", "tests have failed: exit status 3"},
			{"%test TestPasses", "PASS\n", ""},
			{"func TestMain(m *testing.M) { os.Exit(m.Run()) }\n%test TestPasses", "PASS\n", ""},
			{"%test TestFails", "--- FAIL: TestFails", "tests have failed: exit status 1"},
			{"%test TestZero", unexpected, "tests have failed: exit status 2"},
			{"func TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n%test TestPasses", "PASS\n", ""},
		} {
			_, out, notes, err := n.runNoting(c.source)
			if !strings.Contains(out+notes, c.prints) || (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s prints %q and %q, and fails by %v; want %q, %q", c.source, out, notes, err, c.prints, c.fails)
			}
		}
	})
}

// A begunRecorder ends a context when a text is written.
type begunRecorder struct {
	enginetest.Recorder
	text string
	end  func()
}

func (r *begunRecorder) Stream(name, text string) {
	r.Recorder.Stream(name, text)
	if strings.Contains(text, r.text) {
		r.end()
	}
}

// TestTestsInterrupted ends tests that do not end by themselves, and goes on.
func TestTestsInterrupted(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	n.runOn(t, "kept := 3")
	n.runOn(t, "func TestForever(t *testing.T) {\n\tfmt.Println(\"begun\")\n\tfor {\n\t\ttime.Sleep(time.Hour)\n\t}\n}")
	n.runOn(t, "%cd "+t.TempDir()+"\nfunc FuzzForever(f *testing.F) { f.Fuzz(func(*testing.T, int) {}) }")
	for source, begun := range map[string]string{"%test Forever": "begun", "%test -fuzz FuzzForever": "fuzz: elapsed"} {
		ctx, end := context.WithCancel(t.Context())
		n.cell++
		_, err := n.engine.Run(ctx, program.Cell{Number: n.cell, Source: source}, &begunRecorder{text: begun, end: end})
		if err == nil || ctx.Err() == nil {
			t.Fatalf("%s: %v, %v", source, err, ctx.Err())
		}
	}
	if shown, _, err := n.run("kept"); err != nil || shown != "3" {
		t.Errorf("%s, %v", shown, err)
	}
}

// TestTestsWithoutGo looks at what is said where there is nothing to build tests with, and of wrong
// options.
func TestTestsWithoutGo(t *testing.T) {
	n := &notebook{t: t}
	n.engine = engine.New(engine.Config{Executor: newExecutor(t, n), Importer: stdlib.Importer, Preloaded: stdlib.Preloaded})
	for _, c := range []struct{ source, want string }{
		{"func TestX(t *testing.T) {}", ""},
		{"%test", "error: Cell [2]:1:1: tests cannot be built, because they need the go command: this program has no compiler"},
		{"%test -x", "CompileError: Cell [3]:1:7: %test has no option -x"},
		{"%test TestX", "error: Cell [4]:1:1: tests cannot be built, because they need the go command: this program has no compiler"},
		{"%test -run", "CompileError: Cell [5]:1:7: -run needs a value"},
		{"%goflags x", "CompileError: Cell [6]:1:10: %goflags takes options, and x is not one"},
		{"%goflags -toolexec=x", "CompileError: Cell [7]:1:10: %goflags has no option -toolexec"},
	} {
		_, _, err := n.run(c.source)
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%s: %v, want %q", c.source, err, c.want)
		}
	}
}

// TestWrongTests declares functions that go test refuses as tests, and helpers that only begin as
// tests do.
func TestWrongTests(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	n.runOn(t, "func TestError(x float64) float64 { return x }\nfunc ExampleData() []int { return nil }\nfunc Testing() {}\nfunc TestRight(t *testing.T) {}")
	if _, out, err := n.run("%test -v"); err != nil || !strings.Contains(out, "--- PASS: TestRight") {
		t.Fatalf("%q, %v", out, err)
	}
	for _, c := range []struct{ source, want string }{
		{"func TestY(t testing.T) { t.Fatal() }", "wrong signature for TestY, must be: func TestY(t *testing.T)"},
		{"func TestBad(t *testing.T, x int) {}", "wrong signature for TestBad, must be: func TestBad(t *testing.T)"},
		{"func TestNone() {}", "wrong signature for TestNone, must be: func TestNone(t *testing.T)"},
		{"func TestResult(t *testing.T) error { return nil }", "wrong signature for TestResult, must be: func TestResult(t *testing.T)"},
		{"func TestGeneric[T any](t *testing.T) {}", "wrong signature for TestGeneric, test functions cannot have type parameters"},
		{"func TestMain() {}", "wrong signature for TestMain, must be: func TestMain(m *testing.M)"},
		{"func BenchmarkX(t *testing.T) {}", "wrong signature for BenchmarkX, must be: func BenchmarkX(b *testing.B)"},
		{"func FuzzX(f testing.F) {}", "wrong signature for FuzzX, must be: func FuzzX(f *testing.F)"},
		{"func ExampleX(n int) {}", "wrong signature for ExampleX, must be: func ExampleX()"},
		{"func Testlower(t *testing.T) {}", "Testlower has malformed name: first letter after 'Test' must not be lowercase"},
	} {
		n.runOn(t, c.source)
		if _, out, err := n.run("%test Right"); err == nil || !strings.Contains(err.Error(), ":1:6: "+c.want) {
			t.Errorf("%s\nprints %q and fails by %v, want %q", c.source, out, err, c.want)
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(c.source, "func "), "(")
		name, _, _ = strings.Cut(name, "[")
		n.runOn(t, "%rm "+name)
	}
}

// TestTracesOfTests shows of the stack of a test that panics what is of cells.
func TestTracesOfTests(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	n.runOn(t, "x := 3\nfunc element(list []int) int { return list[x] }\nfunc TestPanics(t *testing.T) {\n\tsort.Slice([]int{1, 2}, func(i, j int) bool {\n\t\treturn element(nil) > 0\n\t})\n}\nfunc TestOther(t *testing.T) {}")
	for _, c := range []struct {
		source string
		want   []string
		not    string
		fails  bool
	}{
		{"%test Other", []string{"PASS\n"}, "note", false},
		{"%test Panics", []string{"note: in tests, the variable x has its declared value; ", "index out of range [3] with length 0", "    Cell [1]:2: element\n    Cell [1]:5: TestPanics.func1\n    Cell [1]:4: TestPanics\n"}, "testing", true},
		{"%test -run Pan", []string{"--- FAIL: TestPanics"}, "note", true}, // which was told
		{"x := 4", nil, "", false},
		{"%test", []string{"note: in tests, the variable x has its declared value; "}, "tRunner", true}, // another declaration
	} {
		_, out, notes, err := n.runNoting(c.source)
		out += notes
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s prints %q, want %q in it", c.source, out, want)
			}
		}
		if c.not != "" && strings.Contains(out, c.not) {
			t.Errorf("%s prints %q, with %q in it", c.source, out, c.not)
		}
		if (err != nil) != c.fails || err != nil && !strings.Contains(err.Error(), "tests have failed") {
			t.Errorf("%s fails by %v", c.source, err)
		}
	}
}
