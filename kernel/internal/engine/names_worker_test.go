package engine_test

import (
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// TestNamesOfCompiledCode asks the run time what the running code is called: what it is in a Go
// program, with the cell in place of the file.
func TestNamesOfCompiledCode(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	course{"", []step{
		{"type T struct{}\nfunc (T) m() string { return at() }\nfunc (*T) M() string { return func() string { return at() }() }\ntype G[A any] struct{}\nfunc (G[A]) m() string { return at() }\n" +
			"func at() string {\n\tpc, file, line, _ := runtime.Caller(1)\n\treturn fmt.Sprint(runtime.FuncForPC(pc).Name(), \" \", filepath.Base(file), \" \", line)\n}", ""},
		{"T{}.m()", "main.T.m Cell [1] 2"}, {"new(T).M()", "main.(*T).M.func1 Cell [1] 3"}, {"G[T]{}.m()", "main.G[...].m Cell [1] 5"},
		{"func() string { return at() }()", "main.init.func1 Cell [5] 1"}, {"\nat()", "main.init Cell [6] 2"}, {"\nat()", "main.init Cell [7] 2"},
		{"var inits string\nfunc init() { inits += at() }\nfunc init() { inits += at() }\ninits", "main.init.0 Cell [8] 2main.init.1 Cell [8] 3"},
		{"runtime.FuncForPC(reflect.ValueOf(T.m).Pointer()).Name()", "main.T.m"},
		{"var lines strings.Builder\nlog.New(&lines, \"\", log.Lshortfile).Print(\"x\")\nlines.String()", "Cell [10]:2: x\n"},
		{"func fails() { panic(1) }", ""}, {"fails()", "! panic: 1"},
	}}.check(t, n)
}
