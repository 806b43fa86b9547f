package acceptance

import (
	"bytes"
	"encoding/json"
	"testing"
)

// habits are cells as people write them who come from other kernels, with what they show. The first
// is the second cell of its session.
var habits = []struct{ cell, want string }{
	{"x, folder := 1, \"a 'b'\"\n!mkdir {folder}\n!touch \"{folder}/c\"", ""},
	{"files := !ls {folder}\nfiles", "=> [c]"},
	{"%rm x\nx := \"anew\"\nx", "=> anew"},
	{"%rm nothing", "CompileError: Cell [5]:1:5: no cell has declared nothing"},
	{"%history -n 1", "   5: %rm nothing\n"},
	{"%%writefile twice.go\nfunc twice(n int) int { return 2 * n }\n", "Wrote twice.go\n"},
	{"%run twice.go\ntwice(4)", "=> 8"},
	{"%args -n 3 ng15", ""},
	{"n := flag.Int(\"n\", 1, \"\")\nflag.Parse()\nfmt.Println(*n, flag.Args())", "3 [ng15]\n"},
	{"%%capture log\nfmt.Println(\"kept\")\n1 + 1", ""},
	{"log", "=> kept\n2\n"},
	{"%%html\n<b>x</b>", "[text/html text/plain]"},
	{"%%markdown\n*x*", "[text/markdown text/plain]"},
	{"%%latex\n$x$", "[text/latex text/plain]"},
	{"%%svg\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "[image/svg+xml text/plain]"},
	{"%%javascript\n1", "[application/javascript text/plain]"},
	{"func TestTwice(t *testing.T) {\n\tif twice(2) != 4 {\n\t\tt.Error(\"no\")\n\t}\n}\n%test", "PASS\n"},
	{"%goflags -tags=slow", "-tags=slow\n"},
	{"cache.Cache(\"habits\", func() (int, error) { return 42, nil })", "=> 42"},
	{"cache.Cache(\"habits\", func() (int, error) { return 0, errors.New(\"computed again\") })", "=> 42"},
	{"cache.Reset(\"habits\")", ""},
}

// TestHabits runs the habits through a client of Jupyter, by both ways to run cells.
func TestHabits(t *testing.T) {
	interpreter, data := jupyter(t), kernelData(t)
	for _, engine := range []string{"interpreted", "compiled"} {
		t.Run(engine, func(t *testing.T) {
			cells := []string{"%engine " + engine}
			for _, h := range habits {
				cells = append(cells, h.cell)
			}
			argument, err := json.Marshal(cells)
			if err != nil {
				t.Fatal(err)
			}
			private := t.TempDir()
			cmd := interpreter.Command(t.Context(), private, script(t, "habits.py"), string(argument))
			cmd.Dir = private
			cmd.Env = append(cmd.Env, seeing(data, private)...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr.Bytes())
			}
			shown := json.NewDecoder(bytes.NewReader(out))
			for i := range cells {
				var got string
				if err := shown.Decode(&got); err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					continue
				}
				if h := habits[i-1]; got != h.want {
					t.Errorf("%s\nshows %q, want %q", h.cell, got, h.want)
				}
			}
		})
	}
}
