//go:build !js

package history

import (
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
)

// DefaultPath is the default path of this user's history: hierml/history.jsonl in the folder for
// state, which on Linux is $XDG_STATE_HOME or ~/.local/state, on macOS ~/Library/Application
// Support and on Windows %LOCALAPPDATA%. It is empty for a user without a home directory.
func DefaultPath() string {
	if _, err := os.UserHomeDir(); err != nil && os.Getenv("XDG_STATE_HOME") == "" {
		return ""
	}
	return filepath.Join(xdg.StateHome, "hierml", "history.jsonl")
}
