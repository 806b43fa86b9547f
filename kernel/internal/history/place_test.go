//go:build unix

package history

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/adrg/xdg"
)

func TestDefaultPath(t *testing.T) {
	// Registered before Setenv, so that it runs after the variables are back.
	t.Cleanup(xdg.Reload)
	home, state := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", state)
	xdg.Reload()
	if got, want := DefaultPath(), filepath.Join(state, "hierml", "history.jsonl"); got != want {
		t.Errorf("with XDG_STATE_HOME it is %s, want %s", got, want)
	}
	if runtime.GOOS != "linux" {
		return
	}
	t.Setenv("XDG_STATE_HOME", "")
	xdg.Reload()
	if got, want := DefaultPath(), filepath.Join(home, ".local", "state", "hierml", "history.jsonl"); got != want {
		t.Errorf("it is %s, want %s", got, want)
	}
	t.Setenv("HOME", "")
	xdg.Reload()
	if got := DefaultPath(); got != "" {
		t.Errorf("without a home it is %s", got)
	}
}
