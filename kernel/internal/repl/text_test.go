package repl

import (
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

func TestText(t *testing.T) {
	for _, test := range []struct {
		name string
		data map[string]any
		want string
	}{
		{"text", map[string]any{"text/plain": "a\n"}, "a"},
		{"no text", map[string]any{"image/png": []byte{1}}, "(1 representations, none of them text)"},
		{"a bar that is removed", map[string]any{}, ""},
	} {
		if got := new(screen).text(&program.Bundle{Data: test.data}, false); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
