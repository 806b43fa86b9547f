package files

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// numbers is a small taxonomy of LSHTC's kind: 1 > 10, 11; 2 > 11, 12.
func numbers(t testing.TB) *taxonomy.Taxonomy {
	t.Helper()
	tax, err := taxonomy.New([]string{"1", "2", "10", "11", "12"}, [][2]int{{0, 2}, {0, 3}, {1, 3}, {1, 4}})
	if err != nil {
		t.Fatal(err)
	}
	return tax
}

func TestLSHTC(t *testing.T) {
	tests := []struct{ name, text, rows string }{
		{"one category", "10 5:2 7:0.5\n", "10 [5 7] [2 0.5]\n"},
		{"several", "10,12 5:2\n10, 12 5:2\n10 ,\t12  5:2\n", strings.Repeat("10 12 [5] [2]\n", 3)},
		{"any order", "11 9:1 0:2 3:3\n", "11 [0 3 9] [2 3 1]\n"},
		{"title", "Data\r\n10, 11 5:2\r\n", "10 11 [5] [2]\n"},
		{"test part", "0 5:2\n0 6:1\n", "[5] [2]\n[6] [1]\n"},
		{"no category", "3:1 1:2\n10 1:1\n", "[1 3] [2 1]\n10 [1] [1]\n"},
		{"no features", "10\n", "10 [] []\n"},
		{"empty lines", "\n10 1:1\n\n", "10 [1] [1]\n"},
		{"blank first", " 10 1:1\n", "10 [1] [1]\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := LSHTC{}.Read(t.Context(), strings.NewReader(test.text), "train", numbers(t))
			if err != nil {
				t.Fatal(err)
			}
			if got := example.Printed(d); got != test.rows {
				t.Errorf("got\n%swant\n%s", got, test.rows)
			}
			again, err := LSHTC{}.Read(t.Context(), strings.NewReader(writeWith(t, d, LSHTC{}.Write)), "again", numbers(t))
			if err != nil {
				t.Fatal(err)
			}
			example.CheckSame(t, again, d)
			stream, err := dataset.Collect("stream", d.Taxonomy, 0, LSHTC{}.Instances(t.Context(), strings.NewReader(test.text), "train", numbers(t)))
			if err != nil {
				t.Fatal(err)
			}
			example.CheckSame(t, stream, d)
		})
	}
}

func TestLSHTCFaults(t *testing.T) {
	tests := []struct {
		name, text   string
		line, column int
		words        string
		rows, faults string
	}{
		{"unknown", "10, 13 1:1\n", 1, 5, `"13"`, "10 [1] [1]\n", "1 unknown label"},
		{"only unknown", "13 1:1\n10 1:1\n", 1, 1, `"13"`, "10 [1] [1]\n", "1 unknown label, 1 no known label"},
		{"zero and another", "0, 10 1:1\n", 1, 1, `"0"`, "10 [1] [1]\n", "1 unknown label"},
		{"empty", "10,, 12 1:1\n", 1, 4, "empty label", "10 12 [1] [1]\n", "1 empty label"},
		{"comma at the end", "10, 1:1\n", 1, 5, "empty label", "10 [1] [1]\n", "1 empty label"},
		{"twice", "10, 10 1:1\n", 1, 5, "twice", "10 [1] [1]\n", "1 label given twice"},
		{"without commas", "10 12 1:1\n10 1:1\n", 1, 1, `"10 12"`, "10 [1] [1]\n", "1 unknown label, 1 no known label"},
		{"feature twice", "10 3:1 1:1 3:2\n", 1, 0, "twice", "10 [1 3] [1 3]\n", "1 feature given twice"},
		{"NaN", "10 3:nan 1:1\n", 1, 6, "not a value", "10 [1] [1]\n", "1 value not finite"},
		{"no value", "10 3: 1:1\n10 1:1\n", 1, 6, "not a value", "10 [1] [1]\n", "1 unreadable instance"},
		{"too large", "10 3000000000:1 1:1\n", 1, 4, "too large", "10 [1] [1]\n", "1 feature index out of range"},
		{"title in the second line", "10 1:1\nData\n", 2, 1, `"Data"`, "10 [1] [1]\n", "1 unknown label, 1 no known label"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := LSHTC{}.Read(t.Context(), strings.NewReader(test.text), "train", numbers(t))
			wantPlace(t, err, test.line, test.column, test.words)
			var faults Faults
			d, err := LSHTC{Repair: &faults}.Read(t.Context(), strings.NewReader(test.text), "train", numbers(t))
			if err != nil {
				t.Fatal(err)
			}
			if got := example.Printed(d); got != test.rows {
				t.Errorf("got\n%swant\n%s", got, test.rows)
			}
			wantFaults(t, &faults, test.faults)
		})
	}
}

func FuzzLSHTC(f *testing.F) {
	for _, seed := range []string{"Data\n10, 11 5:2 3:1\n", "0 5:2", "10,12 1:1e39", ",", "10, 1:1", "10 1:1 1:2", "3:1"} {
		f.Add([]byte(seed))
	}
	tax := numbers(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		fuzzInstances(t, text, func(repair *Faults) instanceFormat { return LSHTC{Repair: repair} }, tax)
	})
}
