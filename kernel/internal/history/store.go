package history

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/hierml/notebook/internal/lock"
	"github.com/hierml/notebook/internal/replace"
)

// maxFile bounds the file. If it gets larger, the oldest cells are removed until three quarters are
// left.
const maxFile = 32 << 20

// A store is the file of a history: one cell per line, as JSON, in the order in which they ran.
// Kernels append to it in turn: they lock a file beside it for each access. The next kernel that
// writes drops an incomplete line.
type store struct {
	path string
	max  int64 // bytes of the file
	log  *slog.Logger
	last fs.FileInfo // the file after the last append of this store
}

// locked runs f while no other kernel uses the file. It waits at most patience for others.
func (s *store) locked(patience time.Duration, f func() error) (err error) {
	if err := s.protect(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l, err := lock.Wait(ctx, s.path+".lock", nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	if err := s.convert(); err != nil {
		return err
	}
	return f()
}

// protect creates the folder if it is missing, and ensures that only the user can read it and the
// file.
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
		if err == nil && path == s.path && !info.Mode().IsRegular() {
			err = &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
		}
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = os.Chmod(path, mode)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// exists reports whether there is a history, in the current or an earlier format.
func (s *store) exists() bool {
	_, err := os.Stat(s.path)
	_, oldErr := os.Stat(s.oldPath())
	return !errors.Is(err, fs.ErrNotExist) || !errors.Is(oldErr, fs.ErrNotExist)
}

// oldPath is the path of the history in earlier versions of this program.
func (s *store) oldPath() string { return filepath.Join(filepath.Dir(s.path), "history.db") }

// convert converts a history in the earlier format, if there is no file yet, and removes the old
// one.
func (s *store) convert() error {
	if _, err := os.Stat(s.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old, err := os.Open(s.oldPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer old.Close() // it is only read
	free, err := lock.File(old, false)
	if err == nil && !free {
		err = fmt.Errorf("%s: an earlier version of this program uses it", s.oldPath())
	}
	if err != nil {
		return err
	}
	content, err := io.ReadAll(io.LimitReader(old, 1<<30))
	if err != nil {
		return err
	}
	cells, err := readBolt(content)
	if err != nil {
		return s.setAside(s.oldPath(), err, 0)
	}
	if err := s.rewrite(cells); err != nil {
		return err
	}
	return os.Remove(s.oldPath())
}

// setAside renames a damaged file, parts of which may still be useful.
func (s *store) setAside(path string, reason error, kept int) error {
	to := path + time.Now().UTC().Format(".damaged-20060102T150405.000")
	if err := os.Rename(path, to); err != nil {
		return errors.Join(reason, err)
	}
	s.log.Warn("the history was damaged and is set aside", "as", to, "reason", reason, "cells kept", kept)
	return nil
}

// read returns the cells in the file, in the order in which they were added.
func (s *store) read(patience time.Duration) (cells []Cell, err error) {
	if !s.exists() {
		return nil, nil
	}
	err = s.locked(patience, func() error {
		cells, err = s.cells()
		return err
	})
	return cells, err
}

// cells is read for callers that hold the lock. If lines of the file are not cells, it sets the
// file aside and writes it again without them.
func (s *store) cells() (cells []Cell, err error) {
	content, err := s.content()
	if err != nil {
		return nil, err
	}
	return s.decode(content)
}

// decode returns the cells in the complete lines. If lines are not cells, it sets the file aside
// and writes the cells again.
func (s *store) decode(content []byte) (cells []Cell, err error) {
	damaged := 0
	for line := range bytes.Lines(content) {
		var c Cell
		if json.Unmarshal(line, &c) != nil || !c.valid() {
			damaged++
			continue
		}
		cells = append(cells, c)
	}
	if damaged == 0 {
		return cells, nil
	}
	if err := s.setAside(s.path, fmt.Errorf("%d of its lines are not cells", damaged), len(cells)); err != nil {
		return nil, err
	}
	return cells, s.rewrite(cells)
}

// content returns the complete lines of the file. It returns none if there is no file, or if the
// file is too large to be a history and was set aside.
func (s *store) content() ([]byte, error) {
	info, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if info.Size() > 2*s.max {
		return nil, s.setAside(s.path, fmt.Errorf("it has %d bytes, more than the limit of %d", info.Size(), 2*s.max), 0)
	}
	content, err := os.ReadFile(s.path)
	return content[:complete(content)], err
}

// newest returns the newest session in the file. It reads only the beginnings of lines, since the
// first cell of a session waits for it; decode handles unusual lines.
func (s *store) newest() (int, error) {
	content, err := s.content()
	if err != nil {
		return 0, err
	}
	session := 0
	for line := range bytes.Lines(content) {
		digits, found := bytes.CutPrefix(line, []byte(`{"session":`))
		digits, _, comma := bytes.Cut(digits, []byte(","))
		n, err := strconv.Atoi(string(digits))
		if !found || !comma || err != nil || !(Cell{Session: n}).valid() {
			cells, err := s.decode(content)
			return newest(cells), err
		}
		session = max(session, n)
	}
	return session, nil
}

// complete returns the number of bytes in complete lines.
func complete(content []byte) int { return bytes.LastIndexByte(content, '\n') + 1 }

// write adds cells to a session, a new one if its number is 0, and returns the number.
func (s *store) write(patience time.Duration, session int, added []Cell) (int, error) {
	err := s.locked(patience, func() error {
		info, err := os.Stat(s.path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if session == 0 || info == nil || !os.SameFile(info, s.last) {
			newest, err := s.newest()
			if err != nil {
				return err
			}
			if session == 0 || session > newest { // the latter after damage
				session = newest + 1
			}
		}
		var lines []byte
		for _, c := range added {
			c.Session = session
			lines = append(lines, c.encode()...)
		}
		return s.append(lines)
	})
	return session, err
}

// append adds lines to the file, all or none.
func (s *store) append(lines []byte) (err error) {
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	end, err := s.end(f)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(lines, end); err != nil {
		return errors.Join(err, f.Truncate(end))
	}
	if end+int64(len(lines)) <= s.max {
		s.last, err = f.Stat()
		return err
	}
	cells, err := s.cells()
	if err != nil {
		return err
	}
	return s.rewrite(cells)
}

// end returns the size of the file without an incomplete line.
func (s *store) end(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err != nil || last[0] == '\n' {
		return info.Size(), err
	}
	content, err := os.ReadFile(s.path)
	if err != nil {
		return 0, err
	}
	end := int64(complete(content))
	return end, f.Truncate(end)
}

// rewrite replaces the file with one that contains the newest of these cells, up to three quarters
// of its maximum size.
func (s *store) rewrite(cells []Cell) error {
	var lines [][]byte
	size := 0
	for _, c := range slices.Backward(cells) {
		line := c.encode()
		if size += len(line); int64(size) > s.max/4*3 {
			break
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	f, err := replace.Create(s.path)
	if err != nil {
		return err
	}
	return f.Complete(func(w io.Writer) error {
		if err := f.Chmod(0o600); err != nil {
			return err
		}
		_, err := w.Write(bytes.Join(lines, nil))
		return err
	})
}

// newest returns the number of the newest session, or 0.
func newest(cells []Cell) int {
	session := 0
	for _, c := range cells {
		session = max(session, c.Session)
	}
	return session
}

// valid reports whether the numbers of a cell are possible, and can be sent to front ends, whose
// numbers are floats.
func (c Cell) valid() bool {
	return 1 <= c.Session && c.Session < 1<<53 && 0 <= c.Line && c.Line < 1<<53
}

// encode returns the line of the file.
func (c Cell) encode() []byte {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(c); err != nil {
		panic(err) // numbers and texts can be encoded
	}
	return line.Bytes()
}
