package engine_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// A tableRecorder keeps the text of what is displayed, too.
type tableRecorder struct{ enginetest.Recorder }

func (r *tableRecorder) Display(b *program.Bundle, _ string, _ bool) {
	text, _ := b.Data["text/plain"].(string)
	r.Stream("stdout", text)
}

// ownModule writes a module into the folder of the cells.
const ownModule = `!mkdir -p a/internal/deep b cmd && printf 'module own\n\ngo 1.26\n' > go.mod
!printf 'package a\n\nimport "own/a/internal/deep"\n\n// A T is one.\ntype T struct{ N int }\n\n// Make makes one.\nfunc Make(n int) T { return T{n * deep.Factor} }\n' > a/a.go
!printf 'package deep\n\nconst Factor = 2\n' > a/internal/deep/deep.go
!printf 'package other\n\nimport "own/a"\n\nfunc Sum(list ...a.T) (sum int) {\n\tfor _, t := range list {\n\t\tsum += t.N\n\t}\n\treturn sum\n}\n' > b/other.go
!mkdir s && printf 'TEXT \302\267Nothing(SB),0,$0\n\tRET\n' > s/s.s && printf 'package s\n\nfunc Nothing()\n\nconst Version = 1\n' > s/s.go
!printf 'package main\n\nfunc main() {}\n' > cmd/main.go`

// A turn is a cell and what becomes of it: what it shows, or else what it prints; or the end of its
// error; and what its notes begin with.
type turn struct{ source, want, fails, notes string }

var folderName = regexp.MustCompile(`folder \S+`)

func (n *notebook) turns(t *testing.T, turns []turn) {
	t.Helper()
	for _, c := range turns {
		n.cell++
		r := &tableRecorder{}
		bundle, err := n.engine.Run(context.Background(), program.Cell{Number: n.cell, Source: c.source}, r)
		got := strings.TrimSpace(r.Out())
		if bundle != nil {
			got, _ = bundle.Data["text/plain"].(string)
		}
		if got = folderName.ReplaceAllString(got, "folder FOLDER"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.source, got, c.want)
		}
		notes := r.Notes()
		if !strings.HasPrefix(notes, c.notes) || c.notes == "" && notes != "" {
			t.Errorf("%s: notes %q, want %q", c.source, notes, c.notes)
		}
		switch {
		case err == nil && c.fails != "":
			t.Errorf("%s: no error, want %s", c.source, c.fails)
		case err != nil && (c.fails == "" || !strings.HasSuffix(err.Error(), c.fails)):
			t.Errorf("%s: %v, want %s", c.source, err, c.fails)
		}
	}
}

// TestImportsOfOwnModule holds that cells import packages of the module that their folder is in,
// and see edits when they import them again.
func TestImportsOfOwnModule(t *testing.T) {
	inModes(t, []program.Mode{program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		n := newWorkerNotebook(t, mode)
		n.turns(t, []turn{
			{source: ownModule},
			{source: "kept := []int{7}"},
			{source: "import \"own/a\"\nimport _ \"own/b\""},
			{source: "t := a.Make(20)\nt", want: "{N:40}"},
			{source: "import \"own/b\"\nfunc total() int { return other.Sum(a.Make(1), t) + kept[0] }\ntotal()", want: "49"},
			{source: "import x \"own/a\"\nfmt.Printf(\"%T %v\", x.Make(1), any(t) == any(x.T{N: 40}))", want: "a.T true"},
			{source: "import . \"own/a\"\nMake(4)", want: "{N:8}"},
			{source: "import _ \"own/cmd\"", fails: `import "own/cmd" is a program, not an importable package`},
			{source: "import _ \"own/nothing\"", fails: "package own/nothing is neither in the standard library nor in the module beside the notebook"},
			{source: "import _ \"own/a/internal/deep\"", fails: "use of internal package own/a/internal/deep not allowed"},

			// An edit is seen when the package is imported again, also by functions; values keep
			// the type that they have.
			{source: "!printf 'package deep\\n\\nconst Factor = 3\\n' > a/internal/deep/deep.go"},
			{source: "a.Make(20)", want: "{N:40}"},
			{source: "import \"own/a\"\na.Make(20)", want: "{N:60}",
				notes: "note: total keeps the older a: cannot use a.Make(1) (value of struct type a.T) as a.T value in argument to other.Sum\n"},
			{source: "import \"own/b\"\nother.Sum(a.Make(20))", want: "60",
				notes: "note: total keeps the older other: cannot use t (variable of struct type a.T) as a.T value in argument to other.Sum\n"},
			{source: "func total() int { return other.Sum(a.Make(1)) }\ntotal()", want: "3"},
			{source: "func double() a.T { return a.Make(2 * kept[0]) }\ndouble()", want: "{N:42}"},
			{source: "t.N", want: "40"},
			{source: "!printf 'package deep\\n\\nconst Factor = 5\\n' > a/internal/deep/deep.go"},
			{source: "import \"own/a\"\nimport \"own/b\""},
			{source: "double()", want: "{N:70}"},
			{source: "total()", want: "5"},
			// Assembly, too.
			{source: "import \"own/s\"\ns.Nothing()\ns.Version", want: "1"},
			{source: "!printf 'package s\\n\\nfunc Nothing()\\n\\nconst Version = 2\\n' > s/s.go"},
			{source: "import \"own/s\"\ns.Nothing()\ns.Version", want: "2"},
			{source: "%mod", want: "module  version  by\nown              folder FOLDER"},
			{source: "!printf 'package deep\\n\\nconst Factor = \"5\"\\n' > a/internal/deep/deep.go"},
			{source: "import \"own/a\"", fails: "package own/a does not compile: a/a.go:9:31: invalid operation: n * deep.Factor (mismatched types int and untyped string)"},
			{source: "double()", want: "{N:70}"},
		})
		for _, c := range []struct{ source, want string }{
			{`import "own/`, "own/a own/b own/s"},
			{"a.Ma", "Make"},
			{"%mod o", "own"},
		} {
			var got []string
			for _, candidate := range n.engine.Complete(c.source, len(c.source)).Candidates {
				got = append(got, candidate.Text)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%s: candidates %q, want %q", c.source, got, c.want)
			}
		}
		for source, want := range map[string]string{"a.Make": "Make makes one.", "a.T": "A T is one."} {
			bundle := n.engine.Inspect(source, len(source), 0)
			if bundle == nil {
				t.Errorf("%s: nothing is known", source)
				continue
			}
			if text, _ := bundle.Data["text/plain"].(string); !strings.Contains(text, want) || strings.Contains(text, "~") {
				t.Errorf("%s: %s, want %s", source, text, want)
			}
		}
	})
}

// TestImportsWithoutCompiledCells holds what is said where only the interpreter runs cells.
func TestImportsWithoutCompiledCells(t *testing.T) {
	newWorkerNotebook(t, program.InterpretedMode).turns(t, []turn{
		{source: `import "example.org/m"`, fails: "package example.org/m is not available: cells import the standard library, gonum, gonum/plot and hierml; compiled cells import packages of all modules: %engine compiled"},
		{source: "%mod example.org/m@v1", fails: "only compiled cells import packages of other modules (%engine compiled)"},
		{source: "%mod", want: "No cell has imported a package of another module."},
		{source: `import "maths"`, fails: "package maths is not available: cells import the standard library, gonum, gonum/plot and hierml"},
	})
}
