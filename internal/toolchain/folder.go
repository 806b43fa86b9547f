package toolchain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hierml/notebook/internal/temporary"
)

// folder is a private folder from which this process and those that it starts can load code.
type folder struct{ path, parent string }

// The environment variables that name the folders of code: of cells, and of the kits.
const (
	cellsVariable = "TMPDIR"
	kitsVariable  = "XDG_CACHE_HOME"
)

const (
	// roomy is the room in bytes that a folder in memory needs to be preferred to one on a disk,
	// and least the room that any folder needs. A plugin has 1 to 20 MB.
	roomy = 256 << 20
	least = 32 << 20
)

// A PlaceError says why a folder cannot hold compiled code, or why code cannot be loaded or run
// from it, and which environment variable names another folder.
type PlaceError struct {
	// Text is the sentence, and Variable the environment variable in it.
	Text, Variable string
	cause          error // nil if there are several
}

func (e *PlaceError) Error() string { return e.Text }

// newPlaceError returns a *PlaceError with a text that is completed by what to do.
func newPlaceError(variable, text string, cause error) *PlaceError {
	return &PlaceError{fmt.Sprintf("%s restart hierml with %s set to a folder that has room and is not mounted noexec", text, variable), variable, cause}
}

// Unwrap returns the error of the system.
func (e *PlaceError) Unwrap() error { return e.cause }

// tryPlaces returns nil if there is a folder that compiled code can be loaded from, and a
// *PlaceError otherwise.
func tryPlaces() error {
	f, err := newFolder("cells", "")
	if err != nil {
		return err
	}
	return f.remove()
}

// CodeFolder creates a folder, whose name begins with kind, for programs that run once. Remove it
// with [temporary.Remove]. If there is no place for it, the error is a *PlaceError.
func CodeFolder(kind string) (string, error) {
	f, err := newFolder(kind, "")
	if err != nil {
		return "", err
	}
	return f.path, nil
}

// newFolder makes a folder whose name begins with kind: in memory if there is much room, otherwise
// where temporary files belong, or in memory after all. It makes none in the folder without.
func newFolder(kind, without string) (*folder, error) {
	var parents []string
	reasons := map[string]string{}
	for _, place := range []struct {
		parent string
		room   uint64
	}{{temporary.Memory, roomy}, {os.TempDir(), least}, {temporary.Memory, least}} {
		if place.parent == without {
			continue
		}
		f, err := newFolderIn(place.parent, kind, place.room)
		if err == nil {
			return f, nil
		}
		if reasons[place.parent] == "" {
			parents = append(parents, place.parent)
		}
		reasons[place.parent] = place.parent + " " + err.Error()
	}
	var why []string
	for _, parent := range parents {
		why = append(why, reasons[parent])
	}
	return nil, newPlaceError(cellsVariable, fmt.Sprintf("compiled code cannot be loaded from any folder: %s;", strings.Join(why, ", and ")), nil)
}

// newFolderIn creates a folder in parent, if that has enough room and code can be loaded from it.
// The error is the rest of a sentence that begins with parent.
func newFolderIn(parent, kind string, room uint64) (*folder, error) {
	if free, known := freeIn(parent); known && free < room {
		return nil, fmt.Errorf("has %d MiB of room and needs %d", free>>20, room>>20)
	}
	path, err := temporary.Folder(parent, kind)
	if err != nil {
		return nil, fmt.Errorf("cannot be written to (%w)", plain(err))
	}
	f := &folder{path, parent}
	if err := tryLoading(path); err != nil {
		_ = f.remove() // which has been tried in vain already if it fails
		return nil, err
	}
	return f, nil
}

// tryLoading returns nil if this process can load code from files in a folder. The error is the
// rest of a sentence that begins with the folder.
func tryLoading(dir string) error {
	f, err := os.CreateTemp(dir, "page-")
	if err != nil {
		return fmt.Errorf("cannot be written to (%w)", plain(err))
	}
	if _, err = f.Write(make([]byte, os.Getpagesize())); err != nil {
		err = fmt.Errorf("cannot be written to (%w)", plain(err))
	} else {
		err = loadable(f)
	}
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// tryFile returns a *PlaceError if code cannot be loaded from a file, whose folder the environment
// variable names.
func tryFile(file, variable string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() // it was only read
	if err := loadable(f); err != nil {
		return newPlaceError(variable, fmt.Sprintf("compiled code cannot be run from %s, which %v;", filepath.Dir(file), err), err)
	}
	return nil
}

// plain is an error of the file system without the path that it is about.
func plain(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}

func (f *folder) remove() error { return temporary.Remove(f.path) }
