package files

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
)

func BenchmarkReadSVMLight(b *testing.B) {
	text, corpus := example.Rows(4000, 130)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := ReadSVMLight(strings.NewReader(text), "generated", corpus.Taxonomy); err != nil {
			b.Fatal(err)
		}
	}
}
