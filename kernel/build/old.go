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

// Remove removes the kits of a program, with those of its earlier builds from
// the same sources. Kits in use stay. It does nothing where there are none.
func Remove(program string) error {
	p, err := readProgram(program)
	if err != nil {
		return nil // there cannot be a kit of it
	}
	dir, err := kitsFolder()
	if err != nil {
		return err
	}
	k := &Kit{dir: filepath.Join(dir, identity(p))}
	if k.readInfo() != nil {
		return nil
	}
	same, err := k.sameProgram(dir)
	for _, k := range append(same, k) {
		err = errors.Join(err, k.remove())
	}
	return err
}

// removeOld removes kits in dir that were made for earlier builds of the same
// program as made, but for the youngest and for those in use.
func removeOld(dir string, made *Kit) error {
	old, err := made.sameProgram(dir)
	for _, k := range old[min(kept-1, len(old)):] {
		err = errors.Join(err, k.remove())
	}
	return err
}

// sameProgram returns the other kits in dir that were made for builds of the
// same program from the same sources, youngest first.
func (k *Kit) sameProgram(dir string) ([]*Kit, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var same []*Kit
	used := map[*Kit]time.Time{}
	for _, e := range entries {
		if !e.IsDir() || filepath.Ext(e.Name()) != "" || e.Name() == filepath.Base(k.dir) {
			continue
		}
		other := &Kit{dir: filepath.Join(dir, e.Name())}
		info, err := os.Stat(filepath.Join(other.dir, infoFile))
		if err != nil || other.readInfo() != nil {
			continue // another process removes it
		}
		if other.info.Root == k.info.Root && other.info.Program == k.info.Program && other.info.Race == k.info.Race {
			same = append(same, other)
			used[other] = info.ModTime()
		}
	}
	slices.SortFunc(same, func(a, b *Kit) int { return used[b].Compare(used[a]) })
	return same, nil
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
		os.RemoveAll(k.dir+usersSuffix), os.RemoveAll(k.dir+makerSuffix), l.release())
}
