package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTakePlace holds that nothing stays aside, also of a program that is the one that was there.
func TestTakePlace(t *testing.T) {
	for _, same := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "program")
		aside := path + newSuffix
		if err := os.WriteFile(path, []byte("old"), 0o755); err != nil {
			t.Fatal(err)
		}
		want := "old"
		if same {
			if err := os.Link(path, aside); err != nil {
				t.Skipf("there are no links: %v", err)
			}
		} else {
			want = "new"
			if err := os.WriteFile(aside, []byte(want), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := takePlace(aside, path); err != nil {
			t.Error(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("the program is %q, %v, want %q", got, err, want)
		}
		if left := tree(t, dir); len(left) != 1 {
			t.Errorf("there is %q", left)
		}
	}
}
