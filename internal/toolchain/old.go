package toolchain

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hierml/notebook/internal/lock"
)

// kept is how many kits of the same program there are, the one just made included: a kernel that
// runs goes on with the kit of its own build.
const kept = 2

// forgotten is how long nobody has used a kit that is removed, whatever it was made for: its
// program may be gone.
const forgotten = 60 * 24 * time.Hour

// Remove removes the kits of a program, with those of its earlier builds from the same sources.
// Kits in use stay. It does nothing where there are none.
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
	others, err := otherKits(dir, k)
	for _, other := range others {
		if other.sameProgram(k) {
			err = errors.Join(err, other.remove())
		}
	}
	return errors.Join(err, k.remove())
}

// removeOld removes kits in dir that were made for earlier builds of the same program as made, but
// for the youngest, and forgotten ones. Those in use stay.
func removeOld(dir string, made *Kit) error {
	others, err := otherKits(dir, made)
	same := 1
	for _, k := range others {
		if k.sameProgram(made) {
			same++
			if same <= kept {
				continue
			}
		} else if time.Since(k.used) < forgotten {
			continue
		}
		err = errors.Join(err, k.remove())
	}
	return err
}

// sameProgram reports whether the kits were made for builds of the same program from the same
// sources.
func (k *Kit) sameProgram(other *Kit) bool {
	return k.info.Root == other.info.Root && k.info.Program == other.info.Program && k.info.Race == other.info.Race
}

// usedKit is a kit with the time of its last use.
type usedKit struct {
	*Kit
	used time.Time
}

// otherKits returns the kits in dir but one, those used last first.
func otherKits(dir string, but *Kit) ([]usedKit, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var kits []usedKit
	for _, e := range entries {
		if !e.IsDir() || filepath.Ext(e.Name()) != "" || e.Name() == filepath.Base(but.dir) {
			continue
		}
		k := &Kit{dir: filepath.Join(dir, e.Name())}
		info, err := os.Stat(filepath.Join(k.dir, infoFile))
		if err != nil || k.readInfo() != nil {
			continue // another process removes it
		}
		kits = append(kits, usedKit{k, info.ModTime()})
	}
	slices.SortFunc(kits, func(a, b usedKit) int { return b.used.Compare(a.used) })
	return kits, nil
}

// remove removes the kit unless a builder uses it.
func (k *Kit) remove() error {
	l, err := lock.Alone(k.dir + usersSuffix)
	if l == nil {
		return err
	}
	// The description goes first: without it there is no kit.
	return errors.Join(
		os.Remove(filepath.Join(k.dir, infoFile)), os.RemoveAll(k.dir),
		os.RemoveAll(k.dir+usersSuffix), os.RemoveAll(k.dir+makerSuffix), l.Release())
}
