package toolchain

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hierml/notebook/internal/lock"
)

// kept is how many kits of the same program to keep, including a new one: a running kernel uses the
// kit of its own build.
const kept = 2

// forgotten is how long a kit must be unused to be removed, whatever program it was made for: that
// program may be gone.
const forgotten = 60 * 24 * time.Hour

// Removed is what [Remove] did.
type Removed struct {
	// Folders were removed, and InUse were not, because a process uses them.
	Folders, InUse []string
}

// Remove removes the kits of a program, and those of its earlier builds from the same sources. It
// keeps kits in use. It does nothing if there are none.
func Remove(program string) (r Removed, err error) {
	p, err := readProgram(program)
	if err != nil {
		return r, nil // there cannot be a kit of it
	}
	dir, err := kitsFolder()
	if err != nil {
		return r, nil // nor where there is no folder for them
	}
	k := &Kit{dir: filepath.Join(dir, identity(p))}
	var kits []*Kit
	if err := k.readInfo(); err == nil {
		others, err := otherKits(dir, k)
		if err != nil {
			return r, err
		}
		for _, other := range others {
			if other.sameProgram(k) {
				kits = append(kits, other.Kit)
			}
		}
	}
	if _, err := os.Lstat(k.dir); err == nil {
		kits = append(kits, k)
	}
	for _, k := range kits {
		removed, e := k.remove()
		switch {
		case e != nil:
			err = errors.Join(err, e)
		case removed:
			r.Folders = append(r.Folders, k.dir)
		default:
			r.InUse = append(r.InUse, k.dir)
		}
	}
	removeUnfinished(dir)
	_ = os.Remove(dir) // if nothing is left in it
	return r, err
}

// removeOld removes kits in dir that were made for earlier builds of the same program as made,
// except the youngest, and forgotten ones. It keeps kits in use.
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
		_, e := k.remove()
		err = errors.Join(err, e)
	}
	removeUnfinished(dir)
	return err
}

// removeUnfinished removes the remains of processes that were killed while they made or removed a
// kit. It leaves files that cannot be removed to the next process.
func removeUnfinished(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		suffix := filepath.Ext(e.Name())
		if suffix == "" {
			continue
		}
		k := &Kit{dir: filepath.Join(dir, e.Name()[:strings.IndexByte(e.Name(), '.')])}
		making, err := lock.Existing(k.dir + makerSuffix)
		if err != nil || making == nil {
			continue
		}
		for _, left := range []string{asideSuffix, asideSuffix + usersSuffix, damagedSuffix} {
			_ = os.RemoveAll(k.dir + left)
		}
		if _, err := os.Lstat(k.dir); errors.Is(err, fs.ErrNotExist) {
			if using, err := lock.Alone(k.dir + usersSuffix); err == nil && using != nil {
				_ = os.Remove(k.dir + usersSuffix)
				_ = using.Release()
			}
			_ = os.Remove(k.dir + makerSuffix)
		}
		_ = making.Release()
	}
}

// sameProgram reports whether the kits were made for builds of the same program from the same
// sources, or from those that came with it.
func (k *Kit) sameProgram(other *Kit) bool {
	return (k.info.Root == other.info.Root || k.info.Unpacked && other.info.Unpacked) && k.info.Program == other.info.Program && k.info.Race == other.info.Race
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
		if err == nil {
			err = k.readInfo()
		}
		if toBeMade(err) { // damaged, of no program that is known
			info, err = os.Stat(k.dir)
		}
		if err != nil {
			continue // another process removes it
		}
		kits = append(kits, usedKit{k, info.ModTime()})
	}
	slices.SortFunc(kits, func(a, b usedKit) int { return b.used.Compare(a.used) })
	return kits, nil
}

// remove removes the kit, and reports whether it did: not where a builder uses it or a process
// makes it.
func (k *Kit) remove() (removed bool, err error) {
	making, err := lock.Alone(k.dir + makerSuffix)
	if making == nil {
		return false, err
	}
	using, err := lock.Alone(k.dir + usersSuffix)
	if using == nil {
		return false, errors.Join(err, making.Release())
	}
	// Remove the description first: without it there is no kit.
	err = os.Remove(filepath.Join(k.dir, infoFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return true, errors.Join(err, os.RemoveAll(k.dir),
		os.Remove(k.dir+usersSuffix), using.Release(), os.Remove(k.dir+makerSuffix), making.Release())
}
