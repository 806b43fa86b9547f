package taxonomy_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/taxonomy"
)

const topics = `parent: None              child: Root              child-description: Root
parent: Root              child: CCAT              child-description: CORPORATE/INDUSTRIAL
parent: CCAT              child: C15               child-description: PERFORMANCE
parent: C15               child: C151              child-description: ACCOUNTS/EARNINGS
parent: Root              child: GCAT              child-description: GOVERNMENT/SOCIAL
`

func TestRCV1(t *testing.T) {
	tax, err := taxonomy.RCV1{}.Read(t.Context(), strings.NewReader(topics), "topics.hier")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(tax.Names(), " "); got != "CCAT C15 C151 GCAT" {
		t.Errorf("nodes %s", got)
	}
	if want := [][2]int{{0, 1}, {1, 2}}; !slices.Equal(tax.Edges(), want) {
		t.Errorf("edges %v, want %v", tax.Edges(), want)
	}
	var b bytes.Buffer
	if err := (taxonomy.RCV1{}).Write(&b, tax); err != nil {
		t.Fatal(err)
	}
	again, err := taxonomy.RCV1{}.Read(t.Context(), &b, "again")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Edges(), tax.Edges()) && again.Len() != tax.Len() {
		t.Errorf("written and read again: %v", again)
	}
}

func TestRCV1Faults(t *testing.T) {
	for _, test := range []struct {
		name, text   string
		line, column int
		words        string
		kind         string // of the repair, or "" for none
	}{
		{"empty", "\n", 1, 0, "no edges", ""},
		{"no edge", topics + "C151 C1511\n", 6, 1, "is not an edge", "no edge"},
		{"no child", topics + "parent: C15 child-description: x\n", 6, 1, "is not an edge", "no edge"},
		{"no parent", topics + "parent: child: C15 child-description: x\n", 6, 1, "is not an edge", "no edge"},
		{"itself", topics + "parent: C15 child: C15 child-description: x\n", 6, 9, "its own child", "self loop"},
		{"cycle", topics + "parent: C151 child: CCAT child-description: x\n", 6, 9, "cycle", "cycle"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := taxonomy.RCV1{}.Read(t.Context(), strings.NewReader(test.text), "topics.hier")
			var at *taxonomy.SyntaxError
			if !errors.As(err, &at) || !strings.Contains(at.Msg, test.words) || at.Line != test.line && test.kind != "cycle" {
				t.Fatalf("got %v, want line %d and %q", err, test.line, test.words)
			}
			if test.kind == "" {
				return
			}
			var faults taxonomy.Faults
			tax, err := taxonomy.RCV1{Repair: &faults}.Read(t.Context(), strings.NewReader(test.text), "topics.hier")
			if err != nil || tax.Len() != 4 || len(tax.Edges()) != 2 {
				t.Fatalf("repaired: %v, %v", tax, err)
			}
			if faults.Count(test.kind) != 1 || faults.Total() != 1 {
				t.Errorf("counted %v", &faults)
			}
		})
	}
}

func FuzzRCV1(f *testing.F) {
	f.Add([]byte(topics))
	f.Add([]byte("parent: a child: b\nparent: b child: a\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var faults taxonomy.Faults
		tax, err := taxonomy.RCV1{Repair: &faults}.Read(t.Context(), bytes.NewReader(text), "fuzz")
		var at *taxonomy.SyntaxError
		if err != nil {
			if !errors.As(err, &at) {
				t.Fatalf("an error without place: %v", err)
			}
			return
		}
		var b bytes.Buffer
		if err := (taxonomy.RCV1{}).Write(&b, tax); err != nil {
			return // a name that the format cannot have
		}
		again, err := taxonomy.RCV1{}.Read(t.Context(), &b, "again")
		if err != nil {
			t.Fatal(err)
		}
		if again.Len() != tax.Len() || len(again.Edges()) != len(tax.Edges()) {
			t.Fatalf("written and read again, %v is %v", tax, again)
		}
	})
}
