package build

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// kept is how many kits of the same program there are, the one just made
// included: a kernel that runs goes on with the kit of its own build.
const kept = 2

// removeOld removes kits in dir that were made for earlier builds of the same
// program as made, but for the youngest and for those in use.
func removeOld(dir string, made *Kit) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	type oldKit struct {
		*Kit
		used time.Time
	}
	var old []oldKit
	for _, e := range entries {
		if !e.IsDir() || filepath.Ext(e.Name()) != "" || e.Name() == filepath.Base(made.dir) {
			continue
		}
		k := &Kit{dir: filepath.Join(dir, e.Name())}
		info, err := os.Stat(filepath.Join(k.dir, infoFile))
		if err != nil || k.readInfo() != nil {
			continue // another process removes it
		}
		if k.info.Root == made.info.Root && k.info.Program == made.info.Program && k.info.Race == made.info.Race {
			old = append(old, oldKit{k, info.ModTime()})
		}
	}
	slices.SortFunc(old, func(a, b oldKit) int { return b.used.Compare(a.used) })
	var errs []error
	for _, k := range old[min(kept-1, len(old)):] {
		errs = append(errs, k.remove())
	}
	return errors.Join(errs...)
}

// remove removes the kit unless a builder uses it.
func (k *Kit) remove() error {
	l, err := tryLock(k.dir+usersSuffix, true)
	if l == nil {
		return err
	}
	// The description goes first: without it there is no kit.
	return errors.Join(
		os.Remove(filepath.Join(k.dir, infoFile)), os.RemoveAll(k.dir),
		os.Remove(k.dir+usersSuffix), l.release())
}
