package collection

import (
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
	needData(b)
	for b.Loop() {
		if _, err := Open("ng15"); err != nil {
			b.Fatal(err)
		}
	}
}
