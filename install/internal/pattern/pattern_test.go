package pattern

import (
	"encoding/json"
	"testing"
)

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"a [b]", "a [b]", true},
		{"a [b]", "a b", false},
		{"a=#, …", "a=12, b=3", true},
		{"a=#, …", "a=None, b=3", false},
		{"a=#<5", "a=4.9", true},
		{"a=#<5", "a=5", false},
		{"a=#<5, b=#<2", "a=1, b=3", false},
		{"a", "ab", false},
	} {
		if got := matches(test.pattern, test.text); got != test.want {
			t.Errorf("%q stands for %q: %v, want %v", test.pattern, test.text, got, test.want)
		}
	}
}

func TestLines(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		problems      int
	}{
		{"a\n?b\nc\n", "a\nb\nc\n", 0},
		{"a\n?b\nc\n", "a\nc\n", 0},
		{"a\n?b\nc\n", "a\nb\n", 1},
		{"a\n", "a\nTraceback\n", 1},
		{"a\nb\n", "a\n", 1},
		{"a\n", "", 1},
	} {
		if got := Lines(test.pattern, test.text); len(got) != test.problems {
			t.Errorf("%q against %q: %q, want %d problems", test.text, test.pattern, got, test.problems)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, test := range []struct {
		pattern, value string
		problems       int
	}{
		{`{"a": 1}`, `{"a": 1, "b": 2}`, 0},
		{`{"a": 1, "b": null}`, `{"a": 1}`, 0},
		{`{"a": 1, "b": null}`, `{"a": 2, "b": 2}`, 2},
		{`{"a": {"b": "#<1"}}`, `{"a": {"b": 0.5}}`, 0},
		{`{"a": {"b": "#<1"}}`, `{"a": {"b": 1}}`, 1},
		{`{"a": {}}`, `{"a": "lost"}`, 1},
		{`["x", "…", "z"]`, `["x", "y", "z"]`, 0},
		{`["x", "…", "z"]`, `["x", "z", "y"]`, 1},
		{`["x"]`, `["x", "y"]`, 1},
		{`"… y"`, `"x y"`, 0},
		{`true`, `false`, 1},
		{`"…"`, `{"a": 1}`, 0},
	} {
		var pattern, value any
		for text, v := range map[string]*any{test.pattern: &pattern, test.value: &value} {
			if err := json.Unmarshal([]byte(text), v); err != nil {
				t.Fatal(err)
			}
		}
		if got := JSON("it", pattern, value); len(got) != test.problems {
			t.Errorf("%s against %s: %q, want %d problems", test.value, test.pattern, got, test.problems)
		}
	}
}
