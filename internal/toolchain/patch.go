package toolchain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// A replacement is a change of a tool's source.
type replacement struct {
	// file is a path below the tool's folder internal.
	file string
	// old occurs once in the file.
	old, new string
}

// A tool is a program of the tool chain that is built with changes.
type tool struct {
	// name is that of its folder in cmd.
	name, description string
	replacements      []replacement
	// added are the texts of new files, by path.
	added map[string]string
}

// build builds the tool into path, with dir for what it writes on the way.
func (t tool) build(ctx context.Context, tc toolchain, dir, path string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	overlay, err := t.adapt(tc.GOROOT, dir)
	if err != nil {
		return err
	}
	// The profile of the distribution would have the standard library compiled once more, for a
	// tool that is hardly faster on cells.
	_, err = tc.goCommand(ctx, filepath.Join(tc.GOROOT, "src", "cmd"), plainBuild,
		"build", "-overlay", overlay, "-pgo=off", "-ldflags=-s -w", "-o", path, "cmd/"+t.name)
	if err != nil {
		return fmt.Errorf("the %s adapted to cells does not build: %w", t.description, err)
	}
	return os.RemoveAll(dir)
}

// adapt writes the changed files of the tool in goroot into dir, and the file for go build's
// -overlay, whose name it returns.
func (t tool) adapt(goroot, dir string) (overlay string, err error) {
	source := filepath.Join(goroot, "src", "cmd", t.name, "internal")
	changed := maps.Clone(t.added) // by file
	if changed == nil {
		changed = map[string]string{}
	}
	for _, r := range t.replacements {
		text, ok := changed[r.file]
		if !ok {
			content, err := os.ReadFile(filepath.Join(source, filepath.FromSlash(r.file)))
			if errors.Is(err, fs.ErrNotExist) {
				return "", fmt.Errorf("the Go tool chain in %s has no source of the %s (src/cmd/%s); install Go from go.dev/dl, or the package of your system that holds Go's source", goroot, t.description, t.name)
			}
			if err != nil {
				return "", err
			}
			text = string(content)
		}
		if n := strings.Count(text, r.old); n != 1 {
			return "", fmt.Errorf("the %s of the Go tool chain in %s cannot be adapted to cells: its %s is not the one that this program knows; a newer hierml may know it", t.description, goroot, r.file)
		}
		changed[r.file] = strings.Replace(text, r.old, r.new, 1)
	}
	replace := map[string]string{}
	for file, text := range changed {
		path := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(source, filepath.FromSlash(file))] = path
	}
	content, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, content, 0o600)
}
