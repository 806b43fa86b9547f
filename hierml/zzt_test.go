package hierml_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"strconv"

	"github.com/hierml/notebook/hierml/collection"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/svm"
)

func TestZZT(t *testing.T) {
	for _, name := range strings.Split(os.Getenv("SETS"), ",") {
		c, err := collection.Open(name)
		if err != nil { t.Fatal(err) }
		n, _ := strconv.Atoi(os.Getenv("ROWS"))
		train := head(c.Train, n)
		s := time.Now()
		m, err := svm.NodeSets{Progress: func(d float64, st string) error { fmt.Printf("%.3f %s %.1fs\n", d, st, time.Since(s).Seconds()); return nil }}.Fit(t.Context(), train)
		if err != nil { t.Fatal(err) }
		fmt.Println("fit", time.Since(s))
		test := head(c.Test, 3000)
		p := m.NodeProbabilities(test.X)
		fmt.Println("scored", time.Since(s))
		r, err := metric.NodeScores(p, test.Labels, test.Taxonomy)
		if err != nil { t.Fatal(err) }
		f, _ := metric.LabelSets(test.Labels, m.Predict(test.X), test.Taxonomy)
		fmt.Println(name, train.Len(), r.Pooled, r.Mean, f.Hierarchical, time.Since(s))
		fmt.Println(m)
	}
}
