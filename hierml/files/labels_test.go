package files

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestLabelerMany gives an instance thousands of labels, of which half are given twice.
func TestLabelerMany(t *testing.T) {
	var names []string
	for i := range 20_000 {
		names = append(names, fmt.Sprint("n", i))
	}
	tax, err := taxonomy.New(names, nil)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var given []string
	want := make(map[int]bool)
	twice := 0
	for range 30_000 {
		n := rng.IntN(len(names))
		given = append(given, names[n])
		if want[n] {
			twice++
		}
		want[n] = true
	}
	var faults Faults
	d, err := SVMLight{Repair: &faults}.Read(t.Context(), strings.NewReader(strings.Join(given, ",")+" 1:1\n"), "rows", tax)
	if err != nil {
		t.Fatal(err)
	}
	if faults.Count("label given twice") != twice || len(d.Labels[0]) != len(want) || !slices.IsSorted(d.Labels[0]) {
		t.Errorf("%d labels, %d twice; want %d and %d", len(d.Labels[0]), faults.Total(), len(want), twice)
	}
}
