package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
)

// TestFaultsAreDocumented compares the kinds of faults with the list in the documentation of the
// package.
func TestFaultsAreDocumented(t *testing.T) {
	code, err := os.ReadFile("faults.go")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := regexp.MustCompile(`faultKind\{name: "([^"]+)"`).FindAllStringSubmatch(string(code), -1)
	if len(kinds) < 10 {
		t.Fatalf("found %d kinds", len(kinds))
	}
	for _, kind := range kinds {
		if !strings.Contains(string(doc), "//\t"+kind[1]+"  ") {
			t.Errorf("the documentation does not tell the repair of %q", kind[1])
		}
	}
}

// manyRows is a file of many rows, no two of which have the same labels next to each other.
type manyRows struct {
	rows, row int
	rest      []byte
}

func (r *manyRows) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.row == r.rows {
			return 0, io.EOF
		}
		r.rest = fmt.Appendf(r.rest[:0], "%s 1:%d 5:1 9:1 12:1 17:1 21:1 30:1 33:1 40:1 41:1\n",
			[]string{"apple", "pear,tool", "bread"}[r.row%3], r.row+1)
		r.row++
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// TestInstancesMemory reads more, one instance after the other, than it lets stay in memory.
func TestInstancesMemory(t *testing.T) {
	const rows = 200_000
	tax := example.Fruit()
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, n := heap(), 0
	var most int64
	for _, err := range (SVMLight{}).Instances(t.Context(), &manyRows{rows: rows}, "rows", tax) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%(rows/4) == 0 {
			most = max(most, heap()-before)
		}
	}
	if n != rows {
		t.Errorf("%d rows", n)
	}
	if most > 8<<20 { // all rows take 20 MiB
		t.Errorf("the loop holds %d bytes", most)
	}
}

// wantFaults fails if the faults are not these: "2 unknown label, 1 empty label", in the order of
// their first.
func wantFaults(t testing.TB, faults *Faults, want string) {
	t.Helper()
	var got []string
	for _, f := range faults.List() {
		got = append(got, fmt.Sprint(f.Count, " ", f.Kind))
		if f.First == nil || f.First.Line < 1 || f.First.File == "" || f.Repair == "" {
			t.Errorf("%s has no place or no repair: %v", f.Kind, f.First)
		}
	}
	if strings.Join(got, ", ") != want {
		t.Errorf("got the faults %q, want %q", strings.Join(got, ", "), want)
	}
}

// wantPlace checks that the error is a *SyntaxError at the place, and says the words.
func wantPlace(t *testing.T, err error, line, column int, words string) {
	t.Helper()
	var syntax *SyntaxError
	if !errors.As(err, &syntax) {
		t.Fatalf("got %v, want a *SyntaxError", err)
	}
	if syntax.Line != line || syntax.Column != column || !strings.Contains(syntax.Msg, words) {
		t.Errorf("got %v, want line %d, column %d and %q", err, line, column, words)
	}
}

// wantSyntaxError fails if the error is not a *SyntaxError with a place.
func wantSyntaxError(t testing.TB, err error) {
	t.Helper()
	var at *SyntaxError
	if !errors.As(err, &at) || at.Line < 1 || at.File == "" {
		t.Fatalf("an error without place: %v", err)
	}
}
