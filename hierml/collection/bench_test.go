package collection

import (
	"github.com/hierml/notebook/internal/testrun/given"
	"testing"
)

func BenchmarkGoDoc(b *testing.B) {
	for b.Loop() {
		if _, err := GoDoc(""); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	given.Folder(b, given.Data)
	for b.Loop() {
		if _, err := Open("ng15"); err != nil {
			b.Fatal(err)
		}
	}
}
