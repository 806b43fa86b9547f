package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/compiled/emit"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// rows returns n pieces of text, with # in place of the number of each and @ of the next.
func rows(n int, piece string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.NewReplacer("#", fmt.Sprint(i), "@", fmt.Sprint(i+1)).Replace(piece))
	}
	return b.String()
}

// hostile are texts that take minutes, gigabytes or the kernel's life where nothing bounds them.
var hostile = map[string]string{
	"labels":               rows(6000, "l#: ") + "for {}",
	"labels in a function": "func f() {" + rows(1000, "l#:\nif true { goto l# }\n") + "}",
	"else if":              "x := 1\nif x == 1 {}" + rows(6000, " else if x == # {}"),
	"sum":                  "x := 1" + rows(6000, "+1"),
	"sum of variables":     "x := 1\ny := x" + rows(6000, "+x"),
	"conjunction":          "x := true\ny := x" + rows(6000, "&&x"),
	"calls":                "type F func() F\nvar f F\nx := f" + rows(6000, "()"),
	"methods":              "type F struct{}\nfunc (F) m() F { return F{} }\nx := F{}" + rows(6000, ".m()"),
	"fields":               "type F struct{ n *F }\nvar f F\nx := f" + rows(6000, ".n"),
	"indices":              "type F []F\nvar f F\nx := f" + rows(6000, "[0]"),
	"arguments":            "func f(x int) int { return x }\nx := " + rows(6000, "f(") + "1" + rows(6000, ")"),
	"signs":                "x := 1\ny := " + rows(6000, "- ") + "x",
	"parentheses":          "x := " + rows(6000, "(") + "1" + rows(6000, ")"),
	"blocks":               rows(6000, "{") + rows(6000, "}"),
	"open blocks":          rows(6000, "if x {\n"),
	"open calls":           rows(6000, "f(\n"),
	"functions in each":    "x := " + rows(6000, "func() { _ = ") + "1" + rows(6000, "}"),
	"channels":             "var x " + rows(6000, "chan ") + "int",
	"pointers":             "var x " + rows(6000, "*") + "int",
	"results":              "var x " + rows(6000, "func() ") + "int",
	"structs":              "var x " + rows(6000, "struct{ a ") + "int" + rows(6000, "}"),
	"literals":             "type T []T\nx := " + rows(6000, "T{") + rows(6000, "}"),
	"comments":             rows(6000, "/* a */ // b\n"),
	"quotes":               rows(6000, "'"),
	"long line":            "x := \"" + strings.Repeat("a", 1<<20) + "\"",
	"long name":            strings.Repeat("a", 1<<20) + " := 1",
	"errors":               rows(5000, "_ = u#\n"),
	"syntax errors":        rows(5000, "x := )\n"),
	"sides":                "x := 1\nx" + rows(5000, ",x") + " = 1" + rows(5000, ",1"),
	"cases":                "x := 1\nswitch x {case " + rows(5000, "#,") + "-1:}",
	"constants":            "const a0 = \"x\"\n" + rows(40, "const a@ = a# + a#\n") + "len(a40)",
	"types":                "type t0 int\n" + rows(12, "type t@ struct{ a, b t# }\n") + "var x t12\nx == x",
	"types of pointers":    "type t0 int\n" + rows(500, "type t@ struct{ a, b *t# }\n"),
	"embedded types":       "type a0 struct{ m int }\ntype b0 a0\n" + rows(10, "type a@ struct{ a#; b# }\ntype b@ struct{ a#; b# }\n"),
	"generic types":        "type P0[T any] struct{ x T }\n" + rows(10, "type P@[T any] struct{ a P#[[]T]; b P#[*T] }\n") + "var x P10[int]",
	"generic functions":    "func f0[T any](x T) {}\n" + rows(40, "func f@[T any](x T) { f#([]T{x}); f#(&x) }\n") + "f40(1)",
	"deep embedding":       "type t0 struct{ m int }\n" + rows(300, "type t@ struct{ t#; n# int }\n"),
	"statements":           "func f(x int) int {\n" + rows(4000, "if x > # { x += f(#) } else { x -= f(#) }\n") + "return x\n}",
	"functions in a list":  "x := []any{\n" + rows(4000, "[]any{#, func() int { return # }},\n") + "}",
	"arrays of arrays":     "type t0 int\n" + rows(300, "type t@ [1000]t#\n"),
}

// TestHostileTexts takes texts through all that looks at them. It ends.
func TestHostileTexts(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t)
			e.IsComplete(text)
			e.Complete(text+"\nfm", len([]rune(text))+3)
			e.Inspect(text+"\nfmt", len([]rune(text))+2, 0)
			cell := program.Cell{Number: 1, Source: text}
			interpreted := enginetest.NewSession()
			if _, err := interpreted.Lower(cell); err != nil && !strings.Contains(err.Error(), "Cell [1]") {
				t.Errorf("the error %.200v does not say where", err)
			}
			compiled := enginetest.NewSession()
			k, err := compiled.Check(cell)
			if err != nil {
				return
			}
			_, _, _, _ = emit.New(compiled.Checker).Compile(k)
		})
	}
}

// TestTooLong asks about, and runs, a text that is too long to be looked at.
func TestTooLong(t *testing.T) {
	n := newNotebook(t)
	text := strings.Repeat("x\n", 9<<20)
	if status, _ := n.engine.IsComplete(text); status != "unknown" {
		t.Errorf("the text is %s", status)
	}
	if found := n.engine.Complete(text, len(text)); len(found.Candidates) > 0 {
		t.Error("the text is completed")
	}
	_, err := n.engine.Run(context.Background(), program.Cell{Number: 1, Source: text}, &enginetest.Recorder{})
	if err == nil || !strings.Contains(err.Error(), "Cell [1]:1:1: more than 16 MiB of text") {
		t.Errorf("%.200v", err)
	}
}
