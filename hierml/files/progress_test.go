package files

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
)

func TestWithProgress(t *testing.T) {
	text, corpus := example.Rows(4000, 130)
	var shares []float64
	var last string
	report := func(done float64, state string) error {
		shares, last = append(shares, done), state
		return nil
	}
	r := WithProgress(strings.NewReader(text), report)
	instances := SVMLight{}.Instances(t.Context(), r, "rows", corpus.Taxonomy)
	for range 2 {
		shares = nil
		d, err := dataset.Collect("rows", corpus.Taxonomy, 0, instances)
		if err != nil || d.Len() != 4000 {
			t.Fatalf("%v, %v", d, err)
		}
		if len(shares) < 3 || shares[0] <= 0 || shares[0] > 0.5 || shares[len(shares)-1] != 1 || !strings.Contains(last, " of ") {
			t.Errorf("reported %v and %q", shares, last)
		}
	}
	shares = nil
	d, err := SVMLight{}.Read(t.Context(), WithProgress(io.MultiReader(strings.NewReader(text)), report), "rows", corpus.Taxonomy)
	if err != nil || d.Len() != 4000 || len(shares) < 3 || shares[0] != 0 || strings.Contains(last, " of ") {
		t.Errorf("of unknown size: %v, %q, %v", shares, last, err)
	}
	stop := errors.New("enough")
	_, err = SVMLight{}.Read(t.Context(), WithProgress(strings.NewReader(text), func(float64, string) error { return stop }), "rows", corpus.Taxonomy)
	if !errors.Is(err, stop) {
		t.Errorf("stopped: %v", err)
	}
}
