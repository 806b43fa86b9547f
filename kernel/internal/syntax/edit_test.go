package syntax

import (
	"testing"
)

func TestEdits(t *testing.T) {
	tests := []struct {
		name   string
		text   string
		offset int
		edits  Edits
		want   string
	}{
		{"none", "a b", 0, nil, "a b"},
		{"replace", "a + b", 0, Edits{{4, 5, "k3ˑ.b"}, {0, 1, "k3ˑ.a"}}, "k3ˑ.a + k3ˑ.b"},
		{"around a name that is replaced", "<-c", 0, Edits{{2, 3, "k3ˑ.c"}, {0, 2, "f("}, {3, 3, ")"}}, "f(k3ˑ.c)"},
		{"before a name that is replaced", "c <- 1", 0, Edits{{0, 1, "k3ˑ.c"}, {0, 0, "f("}, {2, 4, ","}, {6, 6, ")"}}, "f(k3ˑ.c , 1)"},
		{"in the order of adding", "x", 0, Edits{{1, 1, ")"}, {0, 0, "a("}, {1, 1, "]"}, {0, 0, "b["}}, "a(b[x)]"},
		{"within a replacement", "time.Sleep(d)", 0, Edits{{0, 4, "time2"}, {11, 12, "k1ˑ.d"}, {0, 10, "cellˑ.Sleep"}}, "cellˑ.Sleep(k1ˑ.d)"},
		{"behind a replacement", "a b c", 0, Edits{{0, 3, "x"}, {3, 3, "!"}, {2, 2, "?"}}, "x! c"},
		{"a part", "b c", 2, Edits{{0, 1, "A"}, {2, 2, "<"}, {4, 5, "C"}, {5, 5, ">"}, {6, 7, "D"}}, "<b C>"},
		{"over the end of a part", "b c", 2, Edits{{4, 7, "C"}}, "b c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.edits.Sort()
			if got := tt.edits.Apply(tt.text, tt.offset); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
