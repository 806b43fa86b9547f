package pages

import "testing"

func TestZeros(t *testing.T) {
	for _, n := range []int{0, 1, minBytes/2 - 1, minBytes / 2, 3*large + 1} {
		whole, single := Zeros[int16](n), Zeros[float32](n)
		if len(whole) != n || len(single) != n {
			t.Fatalf("%d and %d zeros, want %d", len(whole), len(single), n)
		}
		for k := range n {
			if whole[k] != 0 || single[k] != 0 {
				t.Fatalf("number %d of %d is %d and %v", k, n, whole[k], single[k])
			}
			whole[k], single[k] = 1, 1
		}
	}
}
