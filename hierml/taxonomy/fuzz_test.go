package taxonomy_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// fuzz reads texts strictly and with repairs. A strict error has a place, what repairs gives can be
// written and read again, and what needs no repair is read as the same.
func fuzz(f *testing.F, strict taxonomy.Format, repairing func(*taxonomy.Faults) taxonomy.Format, texts ...string) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<14 {
			return
		}
		g, err := strict.Read(context.Background(), bytes.NewReader(text), "x")
		var place *taxonomy.SyntaxError
		if err != nil && (!errors.As(err, &place) || place.Line < 1 || place.Column < 0 || place.File != "x" || place.Msg == "") {
			t.Fatalf("error without its place: %v", err)
		}
		var faults taxonomy.Faults
		repaired, err := repairing(&faults).Read(context.Background(), bytes.NewReader(text), "x")
		if err != nil {
			if g != nil {
				t.Fatalf("read strictly, and with repairs an error: %v", err)
			}
			return
		}
		if (g != nil) != (faults.Total() == 0) {
			t.Fatalf("%v, read strictly: %v", &faults, g != nil)
		}
		if g != nil && !slices.Equal(byName(g), byName(repaired)) {
			t.Fatalf("read as %v, and with repairs as %v", g, repaired)
		}
		var written bytes.Buffer
		if err := strict.Write(&written, repaired); err != nil {
			return // such as a name that the format has no escape for
		}
		again, err := strict.Read(context.Background(), bytes.NewReader(written.Bytes()), "x")
		if err != nil || !slices.Equal(byName(again), byName(repaired)) {
			t.Fatalf("written as %q, read as %v, %v, want %v", &written, again, err, repaired)
		}
	})
}

func FuzzEdges(f *testing.F) {
	fuzz(f, taxonomy.Edges{}, func(r *taxonomy.Faults) taxonomy.Format { return taxonomy.Edges{Repair: r} },
		"a\tb\n", "a\tb\nb\ta\r\nc\n", "\ufeffa\tb\xff\na\tb\n", "a\ta\n", "\x1f\x8b\x08")
}

func FuzzEdgesOfChains(f *testing.F) {
	read := taxonomy.Edges{Separator: " ", Chains: true}
	repair := read
	fuzz(f, read, func(r *taxonomy.Faults) taxonomy.Format { repair.Repair = r; return repair }, "1 2\n1 3 4\n", " 1  2\t1\n")
}

func FuzzPaths(f *testing.F) {
	// Names that are no paths become paths, so that only what has no repair is read again as it is.
	for _, text := range []string{"a/b\na/c\n", "a//b\n/\n", "/a/\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var faults taxonomy.Faults
		g, err := taxonomy.Paths{Repair: &faults}.Read(context.Background(), bytes.NewReader(text), "x")
		if err != nil {
			return
		}
		var written bytes.Buffer
		if err := (taxonomy.Paths{}).Write(&written, g); err != nil {
			return
		}
		again, err := taxonomy.Paths{}.Read(context.Background(), &written, "x")
		if err != nil || !slices.Equal(byName(again), byName(g)) {
			t.Fatalf("read as %v, %v, want %v", again, err, g)
		}
	})
}

func FuzzNewick(f *testing.F) {
	fuzz(f, taxonomy.Newick{}, func(r *taxonomy.Faults) taxonomy.Format { return taxonomy.Newick{Repair: r} },
		"(a,b)c;", "((a:1,'b''')95[x[y]]:1e3,(c))d;\n(e);f;", "(,)", "(a,a)a;", "a);")
}

func FuzzOBO(f *testing.F) {
	fuzz(f, taxonomy.OBO{}, func(r *taxonomy.Faults) taxonomy.Format { return taxonomy.OBO{Repair: r} },
		ontology, "[Term]\nid: a\nis_a: a\n[Term]\nid: b\\W\\q\nis_a: \\\na {x=\"y\"} ! z\n", "[Term\n", "[Term]\nname: x\n")
}

func FuzzJSON(f *testing.F) {
	fuzz(f, taxonomy.JSON{}, func(r *taxonomy.Faults) taxonomy.Format { return taxonomy.JSON{Repair: r} },
		`{"name": "a", "children": [{"name": "b", "x": [1, {"y": null}]}, "c", {}]}`, `[{"name": "\u00e4\ud83d"}, "b"]`, `{"nodes": ["a"]}`)
}

func FuzzDOT(f *testing.F) {
	fuzz(f, taxonomy.DOT{}, func(r *taxonomy.Faults) taxonomy.Format { return taxonomy.DOT{Repair: r} },
		graphviz, "strict digraph { a -> {b c} -> subgraph s { d } subgraph s -> a }", `digraph{"\\\"" -> "a" + "\
b"}`, "digraph { a [label=<<b>>] # }")
}
