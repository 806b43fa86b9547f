package taxonomy_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph/formats/dot"
	"gonum.org/v1/gonum/graph/formats/dot/ast"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestDOTAsGonumReadsIt gives what is written in DOT to another parser.
func TestDOTAsGonumReadsIt(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	for range 30 {
		n := 1 + r.IntN(10)
		g, err := taxonomy.New(nastyNames(r, n, 2), example.Random(r, n, 1, 2).Edges())
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := (taxonomy.DOT{}).Write(&text, g); err != nil {
			continue
		}
		file, err := dot.ParseString(text.String())
		if err != nil {
			t.Fatalf("%v in\n%s", err, &text)
		}
		plain := func(v ast.Vertex) string {
			id := v.(*ast.Node).ID
			return strings.ReplaceAll(id[1:len(id)-1], `\"`, `"`)
		}
		var got, want []string
		for _, s := range file.Graphs[0].Stmts {
			switch s := s.(type) {
			case *ast.NodeStmt:
				got = append(got, plain(s.Node))
			case *ast.EdgeStmt:
				got = append(got, plain(s.From)+" > "+plain(s.To.Vertex))
			}
		}
		want = append(want, g.Names()...)
		for _, e := range g.Edges() {
			want = append(want, g.Name(e[0])+" > "+g.Name(e[1]))
		}
		if !slices.Equal(got, want) {
			t.Errorf("gonum reads %q, want %q", got, want)
		}
	}
}
