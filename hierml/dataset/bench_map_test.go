package dataset_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/internal/example"
)

func BenchmarkMap(b *testing.B) {
	text, corpus := example.Rows(4000, 130)
	file := filepath.Join(b.TempDir(), "rows.map")
	instances := files.SVMLight{}.Instances(b.Context(), strings.NewReader(text), "generated", corpus.Taxonomy)
	if err := dataset.SaveMap(b.Context(), file, "rows", corpus.Taxonomy, nil, instances); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m, err := dataset.Map(b.Context(), file)
		if err != nil {
			b.Fatal(err)
		}
		if err := m.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
