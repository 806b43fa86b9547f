package main

import "testing"

func TestMemoryFlag(t *testing.T) {
	tests := []struct {
		text string
		want int64 // 0: it is refused
	}{
		{"none", -1},
		{"8GiB", 8 << 30},
		{"1.5 GiB", 3 << 29},
		{"512MiB", 512 << 20},
		{"65536KiB", 64 << 20},
		{"2GB", 2e9},
		{"1TiB", 1 << 40},
		{"", 0}, {"8", 0}, {"GiB", 0}, {"-1GiB", 0}, {"0GiB", 0}, {"NaNGiB", 0}, {"InfGiB", 0}, {"1e30GiB", 0}, {"8 GiBs", 0}, {"1MiB", 0}, {"8gib", 0},
	}
	for _, test := range tests {
		var m memory
		err := m.Set(test.text)
		if (err != nil) != (test.want == 0) || int64(m) != test.want {
			t.Errorf("%q: %d (%v), want %d", test.text, m, err, test.want)
			continue
		}
		var again memory
		if err == nil && (again.Set(m.String()) != nil || again > 0 && again != m) {
			t.Errorf("%q is written as %q", test.text, m.String())
		}
	}
}
