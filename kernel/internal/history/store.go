//go:build !js

package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// The names in the file. The cells are in one bucket, whose sequence is the number of the newest
// session, by session and line; the other bucket has the totals of the first.
var (
	cellsName  = []byte("cells")
	totalsName = []byte("totals")
	totalsKey  = []byte("cells, bytes")
)

// A store is a history on disk. It has the file open, and so locked, only for the moment of each
// transaction: other kernels use the file as well.
type store struct {
	path   string
	limits limits
	// setAside hears where a damaged file went, and what was wrong with it.
	setAside func(to string, reason error)
	known    state // the file after the last transaction of this store
}

// update runs f in a transaction that writes, with the bucket of the cells. It waits so long for
// other kernels. f may run twice.
func (s *store) update(patience time.Duration, f func(tx *bolt.Tx, cells *bolt.Bucket) error) error {
	return s.repairing(func() error {
		if err := s.protect(); err != nil {
			return err
		}
		return s.transact(&bolt.Options{Timeout: patience}, func(db *bolt.DB) error {
			return db.Update(func(tx *bolt.Tx) error {
				cells, err := tx.CreateBucketIfNotExists(cellsName)
				if err != nil {
					return err
				}
				return f(tx, cells)
			})
		})
	})
}

// view runs f in a transaction that reads, if there is a history.
func (s *store) view(patience time.Duration, f func(cells *bolt.Bucket) error) error {
	err := s.repairing(func() error {
		if info, err := os.Stat(s.path); err != nil || info.Size() == 0 {
			return err
		}
		return s.transact(&bolt.Options{Timeout: patience, ReadOnly: true}, func(db *bolt.DB) error {
			return db.View(func(tx *bolt.Tx) error {
				cells := tx.Bucket(cellsName)
				if cells == nil {
					return nil
				}
				return f(cells)
			})
		})
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// protect makes the folder of the file if need be, and sees to it that none but the user can read
// what is in it.
func (s *store) protect() error {
	folder := filepath.Dir(s.path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for path, mode := range map[string]fs.FileMode{folder: 0o700, s.path: 0o600} {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if err := os.Chmod(path, mode); err != nil {
			return err
		}
	}
	return nil
}

// repairing runs f, and once more without the file when that is damaged: it is renamed, since a
// part of it may still be of use to someone. A folder or a device is left as it is.
func (s *store) repairing(f func() error) error {
	before, missing := os.Stat(s.path) // fails where f does
	if missing == nil && !before.Mode().IsRegular() {
		return &fs.PathError{Op: "open", Path: s.path, Err: errors.New("not a regular file")}
	}
	err := f()
	if !errors.Is(err, errDamaged) {
		return err
	}
	// Another kernel may have noticed as well, and have begun a new file.
	if now, statErr := os.Stat(s.path); statErr == nil && os.SameFile(before, now) {
		to := s.path + time.Now().UTC().Format(".damaged-20060102T150405.000")
		if renameErr := os.Rename(s.path, to); renameErr != nil {
			return errors.Join(err, renameErr)
		}
		s.setAside(to, err)
	}
	return f()
}

// transact opens the file for the time of f. What is wrong with a file is found before; should
// bbolt panic nevertheless, or touch memory that is not there, it is damaged in a way of its own.
func (s *store) transact(options *bolt.Options, f func(*bolt.DB) error) (err error) {
	var db *bolt.DB
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errDamaged, p)
			go abandon(db)
		}
	}()
	options.OpenFile = func(path string, flag int, mode os.FileMode) (*os.File, error) {
		return openSound(path, flag, mode, options.Timeout, &s.known)
	}
	db, err = bolt.Open(s.path, 0o600, options)
	if err != nil {
		var inPath *fs.PathError
		var inSystem syscall.Errno
		if !errors.As(err, &inPath) && !errors.As(err, &inSystem) && !errors.Is(err, bolterrors.ErrTimeout) && !errors.Is(err, errDamaged) {
			err = fmt.Errorf("%w: %w", errDamaged, err)
		}
		return err
	}
	if err = f(db); err == nil {
		s.known.note(s.path) // while it is locked
	}
	return errors.Join(err, db.Close())
}

// abandon closes what panicked, which may take for ever or panic again.
func abandon(db *bolt.DB) {
	if db == nil {
		return
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { _ = recover() }()
	_ = db.Close()
}

// write adds cells to a session, a new one if its number is 0, and returns the number.
func (s *store) write(patience time.Duration, session uint64, added []Cell) (number uint64, err error) {
	err = s.update(patience, func(tx *bolt.Tx, cells *bolt.Bucket) error {
		number = session
		if number == 0 || number > cells.Sequence() { // the latter after a repair
			var err error
			if number, err = cells.NextSequence(); err != nil {
				return err
			}
		}
		total := s.totals(tx, cells)
		for _, c := range added {
			k, value := key(number, c.Line), encode(c)
			if replaced := cells.Get(k); replaced != nil {
				total.cells--
				total.bytes -= len(replaced)
			}
			if err := cells.Put(k, value); err != nil {
				return err
			}
			total.cells++
			total.bytes += len(value)
		}
		total, err := s.prune(cells, total)
		if err != nil {
			return err
		}
		return writeTotals(tx, total)
	})
	return number, err
}

// prune deletes the oldest cells that are too many.
func (s *store) prune(cells *bolt.Bucket, total limits) (limits, error) {
	var old [][]byte
	cursor := cells.Cursor()
	for k, v := cursor.First(); k != nil && (total.cells > s.limits.cells || total.bytes > s.limits.bytes); k, v = cursor.Next() {
		old = append(old, append([]byte(nil), k...))
		total.cells--
		total.bytes -= len(v)
	}
	for _, k := range old {
		if err := cells.Delete(k); err != nil {
			return limits{}, err
		}
	}
	return total, nil
}

// totals returns what the cells amount to. What the file says of that is believed only of a file
// that this store wrote itself: wrong totals would have prune delete what is to be kept.
func (s *store) totals(tx *bolt.Tx, cells *bolt.Bucket) limits {
	if s.known.counted != nil {
		return *s.known.counted
	}
	return readTotals(tx, cells)
}

func readTotals(tx *bolt.Tx, cells *bolt.Bucket) limits {
	if totals := tx.Bucket(totalsName); totals != nil {
		if v := totals.Get(totalsKey); len(v) == 16 {
			return limits{int(binary.BigEndian.Uint64(v)), int(binary.BigEndian.Uint64(v[8:]))}
		}
	}
	var total limits
	cursor := cells.Cursor()
	for k, v := cursor.First(); k != nil; k, v = cursor.Next() {
		total.cells++
		total.bytes += len(v)
	}
	return total
}

func writeTotals(tx *bolt.Tx, total limits) error {
	totals, err := tx.CreateBucketIfNotExists(totalsName)
	if err != nil {
		return err
	}
	v := binary.BigEndian.AppendUint64(nil, uint64(total.cells))
	return totals.Put(totalsKey, binary.BigEndian.AppendUint64(v, uint64(total.bytes)))
}

func key(session uint64, line int) []byte {
	k := binary.BigEndian.AppendUint64(make([]byte, 0, 16), session)
	return binary.BigEndian.AppendUint64(k, uint64(max(line, 0)))
}

// encode returns the value of a cell: the length of the input, the input and the output.
func encode(c Cell) []byte {
	v := binary.AppendUvarint(make([]byte, 0, binary.MaxVarintLen64+len(c.Input)+len(c.Output)), uint64(len(c.Input)))
	return append(append(v, c.Input...), c.Output...)
}

func decode(k, v []byte) (stored, error) {
	n, size := binary.Uvarint(v)
	if len(k) != 16 || size <= 0 || n > uint64(len(v)-size) {
		return stored{}, fmt.Errorf("%w: a cell has the key %x and %d bytes", errDamaged, k, len(v))
	}
	v = v[size:]
	return stored{binary.BigEndian.Uint64(k), int(binary.BigEndian.Uint64(k[8:])), v[:n], v[n:]}, nil
}

// A bucket is the bucket of the cells.
type bucket struct{ *bolt.Bucket }

var _ records = bucket{}

// read is view for questions.
func (s *store) read(patience time.Duration, f func(cells records) error) error {
	return s.view(patience, func(cells *bolt.Bucket) error { return f(bucket{cells}) })
}

func (b bucket) from(session uint64, line int, visit func(stored) bool) error {
	cursor := b.Cursor()
	for k, v := cursor.Seek(key(session, line)); k != nil; k, v = cursor.Next() {
		s, err := decode(k, v)
		if err != nil {
			return err
		}
		if !visit(s) {
			break
		}
	}
	return nil
}

func (b bucket) newestFirst(own uint64, visit func(stored) bool) error {
	return newestFirst(b.Bucket, own, visit)
}

// newestFirst is the method of records.
func newestFirst(cells *bolt.Bucket, own uint64, visit func(stored) bool) error {
	more := true
	backward := func(k, v []byte, back func() ([]byte, []byte), in func(session uint64) bool) error {
		for ; more && k != nil; k, v = back() {
			s, err := decode(k, v)
			if err != nil {
				return err
			}
			if !in(s.session) {
				return nil
			}
			more = visit(s)
		}
		return nil
	}
	cursor := cells.Cursor()
	// before moves to the last cell before a session.
	before := func(session uint64) (k, v []byte) {
		if k, _ := cursor.Seek(key(session, 0)); k == nil {
			return cursor.Last()
		}
		return cursor.Prev()
	}
	if own != 0 {
		k, v := before(own + 1)
		if err := backward(k, v, cursor.Prev, func(session uint64) bool { return session == own }); err != nil {
			return err
		}
	}
	k, v := cursor.Last()
	if err := backward(k, v, cursor.Prev, func(session uint64) bool { return session > own || own == 0 }); err != nil || own == 0 {
		return err
	}
	k, v = before(own)
	return backward(k, v, cursor.Prev, func(uint64) bool { return true })
}
