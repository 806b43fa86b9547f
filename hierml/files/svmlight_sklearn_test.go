package files

import (
	"os"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
)

// TestSVMLightSklearn reads what scikit-learn writes of the matrix in testdata/sklearn/write.py.
func TestSVMLightSklearn(t *testing.T) {
	const rows = "2 [1 2 4] [0.1 -2 0.001]\n-1 [0] [3]\n2 [] []\n7 [1 3] [0.33333334 4]\n"
	for _, test := range []struct {
		file string
		s    SVMLight
		want string // or the error
	}{
		{"plain.svm", SVMLight{ZeroBased: true}, rows},
		{"plain.svm", SVMLight{}, "2:4: feature index 0; indices count from 1. If they count from 0, as scikit-learn's dump_svmlight_file writes them, read this file and the others of the data with SVMLight{ZeroBased: true}"},
		{"one.svm", SVMLight{}, rows},
		{"zero-comment.svm", SVMLight{}, rows},
		{"zero-comment.svm", SVMLight{ZeroBased: true}, rows},
		{"one-comment.svm", SVMLight{}, rows},
		{"one-comment.svm", SVMLight{ZeroBased: true}, "2:1: the file says that its indices count from 1"},
		{"several.svm", SVMLight{}, "0 2 [1 2 4] [0.1 -2 0.001]\n[0] [3]\n1 [] []\n0 [1 3] [0.33333334 4]\n"},
		{"queries.svm", SVMLight{}, `1:3: "qid:1" is not index:value, such as 12:0.5; the queries of ranking data are not read`},
		{"one.svm", SVMLight{Columns: 4}, "1:14: feature 5, but there are 4 columns, as SVMLight{Columns: 4} says; to leave out"},
	} {
		d, err := test.s.Open(t.Context(), "testdata/sklearn/"+test.file, nil)
		switch {
		case strings.Contains(test.want, ": "):
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s, %+v: %v", test.file, test.s, err)
			}
		case err != nil:
			t.Errorf("%s, %+v: %v", test.file, test.s, err)
		default:
			if got := example.Printed(d); got != test.want || d.X.Cols != 5 {
				t.Errorf("%s, %+v: %d columns\n%s", test.file, test.s, d.X.Cols, got)
			}
		}
	}
	text, err := os.ReadFile("testdata/sklearn/several.svm")
	if err != nil {
		t.Fatal(err)
	}
	full, err := SVMLight{}.Open(t.Context(), "testdata/sklearn/several.svm", nil)
	if err != nil {
		t.Fatal(err)
	}
	row := 0
	for in, err := range (SVMLight{}).Instances(t.Context(), strings.NewReader(string(text)), "several", full.Taxonomy) {
		columns, _ := full.X.Row(row)
		if row++; err != nil || len(in.Columns) != len(columns) || len(columns) > 0 && in.Columns[0] != columns[0] {
			t.Errorf("one by one: row %d: %v, %v", row, in, err)
		}
	}
	_, err = SVMLight{}.Read(t.Context(), strings.NewReader("2 5 2\n1 0:1\n"), "f", nil)
	wantPlace(t, err, 1, 1, "SVMLight{Header: true, ZeroBased: true}")
	_, err = SVMLight{}.Read(t.Context(), strings.NewReader("1, 2 1:1\n"), "f", nil)
	wantPlace(t, err, 1, 3, "write labels without blanks between them")
}
