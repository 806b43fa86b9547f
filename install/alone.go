package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hierml/notebook/install/internal/place"
	"github.com/hierml/notebook/internal/lock"
)

// lockFile is the name of the file by which there is one installation at a time in a place.
const lockFile = "install.lock"

// lockPlaces makes this process the only one that installs, or removes, in these places. The folder
// for the lock must exist.
func lockPlaces(places place.Places) (*lock.Lock, error) {
	path := filepath.Join(places.Data, lockFile)
	held, err := lock.Alone(path)
	if err != nil {
		return nil, err
	}
	if held == nil {
		who, err := lock.Holder(path)
		if err != nil || who == "" {
			who = "another process" // it has not yet written who it is
		}
		return nil, fmt.Errorf("%s is at work in %s; wait until it has ended", strings.TrimSpace(who), places.Data)
	}
	who := fmt.Sprintf("process %d, which began at %s,\n", os.Getpid(), time.Now().Format(time.DateTime))
	if err := held.Write(who); err != nil {
		return nil, errors.Join(err, held.Release())
	}
	return held, nil
}

// begin creates the folder of the receipt, takes the lock and opens the receipt, which is empty if
// there is none.
func begin(places place.Places) (*receipt, *lock.Lock, error) {
	missing, err := missingFolders(places.Data)
	if err == nil {
		err = os.MkdirAll(places.Data, 0o755)
	}
	if err != nil {
		return nil, nil, err
	}
	held, err := lockPlaces(places)
	if err != nil {
		return nil, nil, err
	}
	r, err := openReceipt(places)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, errors.Join(err, held.Release())
	}
	// Of two that begin at the same time, one makes the folder, and the other may be the first to
	// lock.
	r.addFolders(append(missing, places.Data))
	return r, held, nil
}
