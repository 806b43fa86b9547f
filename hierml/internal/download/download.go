// Package download fetches a file of known content: a transfer that breaks off goes on where it
// was, the next time too, and the file appears under its name only when its check sum is right.
package download

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/hierml/notebook/internal/lock"
)

// File is what is fetched.
type File struct {
	URL    string
	SHA256 string // in hexadecimal digits
	Bytes  int64  // its size, 0 if that is not known
}

// Transfer is how far a file is.
type Transfer struct {
	Bytes   int64   // here
	Total   int64   // of the file, 0 if the server does not say
	Rate    float64 // bytes a second, of what came in this call
	Resumed int64   // of Bytes, those that were here before
	Waiting bool    // for another process, which fetches the same file
}

// DefaultMost is how many bytes a file may have whose size is not known.
const DefaultMost = 2 << 30

// Getter has the settings of transfers. The zero value is ready to use.
type Getter struct {
	// Client makes the requests. The default is http.DefaultClient.
	Client *http.Client
	// Progress is called about ten times a second, and at the end of a transfer; an error it
	// returns ends the transfer.
	Progress func(Transfer) error
	// Attempts is how often a broken transfer is taken up again while nothing more comes. The
	// default value is 3.
	Attempts int
	// Patience is how long a server may send nothing. The default value is a minute.
	Patience time.Duration
	// Most bounds a file whose size is not known: bytes. The default value is DefaultMost.
	Most int64
	// Pause is the time before the second attempt; it doubles with every further one. The default
	// value is half a second.
	Pause time.Duration
}

// SumError says that a file is not the one asked for.
type SumError struct {
	URL       string
	Want, Got string // SHA-256
}

func (e *SumError) Error() string {
	return fmt.Sprintf("the file from %s has the SHA-256 %s instead of %s; it was not kept", e.URL, e.Got, e.Want)
}

// StatusError is an answer of a server that has no file.
type StatusError struct {
	URL    string
	Status string // such as 404 Not Found
	code   int
}

func (e *StatusError) Error() string { return fmt.Sprintf("%s answers %s", e.URL, e.Status) }

// lasting reports whether asking again is of no use.
func (e *StatusError) lasting() bool {
	return e.code < 500 && e.code != http.StatusRequestTimeout && e.code != http.StatusTooManyRequests
}

// Get makes the file at path, whose folder must exist. If there is one already, it is left as it
// is, whatever it has. Where the transfer cannot be ended, what has come stays in path.part, for
// the next call. Of several processes that want the same file one fetches it and the others wait.
func (g *Getter) Get(ctx context.Context, file File, path string) (err error) {
	held, err := g.lock(ctx, path+".lock")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	t := &transfer{Getter: g, file: file, path: path, part: path + ".part", from: path + ".part.json"}
	for fresh := false; ; fresh = true {
		if err := t.fetch(ctx, fresh); err != nil {
			return err
		}
		got, err := Sum(ctx, t.part)
		if err != nil {
			return err
		}
		if got == file.SHA256 {
			return t.finish()
		}
		if err := t.discard(); err != nil {
			return err
		}
		// Parts of different files may have been put together: once more, from the start.
		if !t.joined || fresh {
			return &SumError{URL: file.URL, Want: file.SHA256, Got: got}
		}
	}
}

// lock waits until no other has the lock. The empty file stays: were it removed, two could hold
// locks of the same name. Where the system has no locks, the check sum notices what two processes
// do to each other.
func (g *Getter) lock(ctx context.Context, path string) (*lock.Lock, error) {
	for {
		held, err := lock.Alone(path)
		if held != nil || err != nil {
			return held, err
		}
		if g.Progress != nil {
			if err := g.Progress(Transfer{Waiting: true}); err != nil {
				return nil, err
			}
		}
		if err := sleep(ctx, 200*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// Sum returns the SHA-256 of a file.
func Sum(ctx context.Context, path string) (sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha256.New()
	for err == nil {
		if err := context.Cause(ctx); err != nil {
			return "", err
		}
		_, err = io.CopyN(h, f, 1<<20)
	}
	if !errors.Is(err, io.EOF) {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// finish gives the file its name.
func (t *transfer) finish() error {
	if err := os.Rename(t.part, t.path); err != nil {
		return err
	}
	if err := syncFolder(filepath.Dir(t.path)); err != nil {
		return err
	}
	return remove(t.from)
}

// discard removes what has come.
func (t *transfer) discard() error { return errors.Join(remove(t.part), remove(t.from)) }

func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncFolder makes a change of names last, where the system can.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
