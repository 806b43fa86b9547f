package child

import "testing"

func TestDeepStack(t *testing.T) {
	for _, c := range []struct {
		bytes      uint64
		goroutines int
		want       bool
	}{
		{512 << 20, 10, false}, {1<<30 + 1<<20, 10, true}, {768 << 20, 10, false}, {2 << 30, 500_000, false},
	} {
		if got := deepStack(c.bytes, c.goroutines); got != c.want {
			t.Errorf("%d bytes of %d goroutines: %v, want %v", c.bytes, c.goroutines, got, c.want)
		}
	}
}
