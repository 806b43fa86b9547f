package metric_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/hierml/notebook/hierml/metric"
)

// FuzzReadJSON reads anything as a report, and shows and writes what comes of it.
func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(`{"report": {"instances": 2, "measures": {"accuracy": 0.5, "ranking loss": null}, "at": [1], "depthInstances": [2]}, "perInstance": {"accuracy": [1, 0]}, "truth": [1, 2], "predicted": [1, 1], "labels": "a"}`))
	f.Add([]byte(`{"report": {"instances": 2, "measures": {"accuracy": 0.5}}, "perInstance": {"accuracy": [1, 0]}, "truth": [1], "predicted": [1]}`))
	f.Add([]byte(`{"report": {"instances": -1, "at": [0, 0], "depthInstances": [1, -1]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := metric.ReadJSON(bytes.NewReader(text), tree(t))
		if err != nil {
			return
		}
		_, _ = r.String(), r.HTML()
		if c, err := r.Confusion(); err == nil {
			_ = c.String()
		}
		var again bytes.Buffer
		if err := r.WriteJSON(&again); err != nil {
			t.Fatal(err)
		}
		if _, err := metric.ReadJSON(&again, tree(t)); err != nil {
			t.Fatalf("%v, of what was written", err)
		}
		if r.PerInstance("accuracy") != nil {
			if err := r.WriteInstancesCSV(io.Discard); err != nil {
				t.Fatal(err)
			}
		}
	})
}
