package toolchain

import (
	"io"
	"slices"
	"testing"
)

// TestMessages holds that the names of packages are told from what else a go command writes,
// however it arrives.
func TestMessages(t *testing.T) {
	const written = "runtime\ngo: downloading golang.org/x/sys v0.49.0\nexample.org/a/b\n# example.org/c\n./c.go:3:2: undefined: x\n\ttoo few\ngo: cannot find main module\nerrors"
	for size := 1; size < len(written); size += 7 {
		var packages []string
		m := Messages{Package: func(what string) { packages = append(packages, what) }}
		for text := written; text != ""; text = text[min(size, len(text)):] {
			if _, err := io.WriteString(&m, text[:min(size, len(text))]); err != nil {
				t.Fatal(err)
			}
		}
		if want := []string{"runtime", "downloading golang.org/x/sys v0.49.0", "example.org/a/b"}; !slices.Equal(packages, want) {
			t.Errorf("%d bytes at a time: packages %q, want %q", size, packages, want)
		}
		if want := "# example.org/c\n./c.go:3:2: undefined: x\n\ttoo few\ngo: cannot find main module\nerrors"; m.Text() != want {
			t.Errorf("%d bytes at a time: text %q, want %q", size, m.Text(), want)
		}
	}
}
