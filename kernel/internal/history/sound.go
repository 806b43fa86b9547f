//go:build !js

package history

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"syscall"
	"time"

	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/hierml/notebook/internal/lock"
)

// bbolt believes what a file says of itself: a page that refers to itself makes it recurse until
// the process ends, a freelist that claims to be long asks for terabytes, a page that is free and
// in use is overwritten. None of that can be recovered from, so a file is looked through here
// before bbolt sees it: by a walk that visits each page once, under the lock that bbolt then has.

// maxFile bounds the file of a history, whose cells have 64 MiB: pages that are half full, and
// those of the transactions before, are a few times that.
const maxFile = 1 << 30

// errDamaged is the failure of a file that is not a history any more.
var errDamaged = errors.New("the file is damaged")

// The layout of a file of bbolt 1, whose numbers have the byte order of the machine.
const (
	boltMagic   = 0xED0CDAED
	boltVersion = 2

	pageHeader = 16 // id 8, flags 2, count 2, overflow 4
	metaSize   = 64
	metaSummed = 56 // of which there is a sum
	bucketSize = 16 // root 8, sequence 8
	entrySize  = 16 // of a branch: position 4, key 4, page 8; of a leaf: flags 4, position 4, key 4, value 4

	flagBranch, flagLeaf, flagFreelist = 1, 2, 16
	flagBucket                         = 1 // of an element of a leaf

	// maxDepth bounds the levels of a tree, of which 100,000 cells need four.
	maxDepth = 32
)

var order = binary.NativeEndian

// openSound opens the file of a history for bbolt, waits so long for its lock, which it keeps, and
// sees to it that the file can be trusted. A file that has not changed since known was made of it
// is.
func openSound(path string, flag int, mode os.FileMode, patience time.Duration, known *state) (*os.File, error) {
	file, err := os.OpenFile(path, flag, mode)
	if err != nil {
		return nil, err
	}
	err = await(file, flag&os.O_RDWR != 0, patience)
	if err == nil {
		err = sound(file, known)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// await locks a file before bbolt does, which finds it locked by itself then, or by nobody.
func await(file *os.File, exclusive bool, patience time.Duration) error {
	const pause = 50 * time.Millisecond
	for end := time.Now().Add(patience); ; time.Sleep(pause) {
		locked, err := lock.File(file, exclusive)
		switch {
		case locked:
			return nil
		case err != nil && !errors.Is(err, syscall.EINTR):
			return &os.PathError{Op: "lock", Path: file.Name(), Err: err}
		case time.Now().After(end):
			return bolterrors.ErrTimeout
		}
	}
}

// A state tells whether a file has changed.
type state struct {
	info os.FileInfo
	// counted is what the cells amounted to when the file was looked through; nil if it was not.
	counted *limits
}

func (s *state) is(info os.FileInfo) bool {
	return s.info != nil && os.SameFile(s.info, info) && s.info.Size() == info.Size() && s.info.ModTime().Equal(info.ModTime())
}

// note remembers a file as it is.
func (s *state) note(path string) {
	s.info = nil
	if info, err := os.Stat(path); err == nil {
		s.info = info
	}
}

// sound looks a file through, unless it is known, or empty and so about to become a history.
func sound(file *os.File, known *state) error {
	known.counted = nil
	info, err := file.Stat()
	if err != nil || known.is(info) || info.Size() == 0 {
		return err
	}
	if info.Size() > maxFile {
		return fmt.Errorf("%w: it has %d bytes, and no history has more than %d", errDamaged, info.Size(), maxFile)
	}
	w := newWalk(file, info.Size())
	if err := w.file(); err != nil {
		return err
	}
	known.counted = &w.counted
	return nil
}

// A walk looks a file through.
type walk struct {
	in       io.ReaderAt
	size     int64
	pageSize int64
	end      uint64 // the number of pages that count
	used     []bool // by page: found in a tree, or in the freelist
	counted  limits // what the cells amount to
	newest   uint64 // session of the cells
	sequence uint64
}

func newWalk(in io.ReaderAt, size int64) *walk { return &walk{in: in, size: size} }

func damagedf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDamaged, fmt.Sprintf(format, args...))
}

func (w *walk) file() error {
	root, freelist, err := w.meta()
	if err != nil {
		return err
	}
	w.used[0], w.used[1] = true, true
	if err := w.tree(root, nil, nil, 0, w.bucket); err != nil {
		return err
	}
	if w.newest > w.sequence || w.sequence > 1<<53 {
		return damagedf("its newest session is %d of %d", w.newest, w.sequence)
	}
	return w.freelist(freelist)
}

// meta finds the newer of the two descriptions that a file begins with, as bbolt does, which has the
// page size from the first that is whole.
func (w *walk) meta() (root, freelist uint64, err error) {
	first, whole := w.metaAt(0)
	chosen := first
	for shift := 0; shift <= 14 && !whole; shift++ {
		chosen, whole = w.metaAt(1024 << shift)
	}
	w.pageSize = int64(chosen.pageSize)
	if !whole || w.pageSize < 1024 || w.pageSize > 1024<<14 || w.pageSize&(w.pageSize-1) != 0 {
		return 0, 0, damagedf("it does not begin as a history")
	}
	second, whole := w.metaAt(w.pageSize)
	switch {
	case whole && int64(second.pageSize) != w.pageSize:
		return 0, 0, damagedf("its pages have %d bytes, or %d", w.pageSize, second.pageSize)
	case whole && second.transaction > first.transaction:
		chosen = second
	}
	pages := uint64(w.size / w.pageSize)
	switch {
	case chosen.pages < 4 || chosen.pages > pages:
		return 0, 0, damagedf("it has %d pages, and says %d", pages, chosen.pages)
	case chosen.transaction >= 1<<62:
		return 0, 0, damagedf("it has seen %d transactions", chosen.transaction)
	}
	w.end = chosen.pages
	w.used = make([]bool, w.end)
	return chosen.root, chosen.freelist, nil
}

// A meta is a description of a file.
type meta struct {
	pageSize                           uint32
	root, freelist, pages, transaction uint64
}

// metaAt reads the description in the page at an offset.
func (w *walk) metaAt(offset int64) (m meta, whole bool) {
	b := make([]byte, pageHeader+metaSize)
	if _, err := w.in.ReadAt(b, offset); err != nil {
		return meta{}, false
	}
	b = b[pageHeader:]
	sum := fnv.New64a()
	sum.Write(b[:metaSummed])
	if order.Uint32(b) != boltMagic || order.Uint32(b[4:]) != boltVersion || order.Uint64(b[metaSummed:]) != sum.Sum64() {
		return meta{}, false
	}
	return meta{
		pageSize: order.Uint32(b[8:]), root: order.Uint64(b[16:]), freelist: order.Uint64(b[32:]),
		pages: order.Uint64(b[40:]), transaction: order.Uint64(b[48:]),
	}, true
}

// page reads a page, with those that it goes on in, and marks them as used.
func (w *walk) page(id uint64) ([]byte, error) {
	if id < 2 || id >= w.end {
		return nil, damagedf("it refers to page %d of %d", id, w.end)
	}
	header := make([]byte, pageHeader)
	offset := int64(id) * w.pageSize
	if _, err := w.in.ReadAt(header, offset); err != nil {
		return nil, err
	}
	more := uint64(order.Uint32(header[12:]))
	if order.Uint64(header) != id || more >= w.end-id {
		return nil, damagedf("page %d of %d calls itself %d, and goes on for %d", id, w.end, order.Uint64(header), more)
	}
	for i := id; i <= id+more; i++ {
		if w.used[i] {
			return nil, damagedf("page %d is used twice", i)
		}
		w.used[i] = true
	}
	b := make([]byte, (int64(more)+1)*w.pageSize)
	if _, err := w.in.ReadAt(b, offset); err != nil {
		return nil, err
	}
	return b, nil
}

// An entry is what a leaf has for a key.
type entry struct {
	flags      uint32
	key, value []byte
}

// tree looks through the tree below a page, whose keys are from low to before high; nil is no
// bound.
func (w *walk) tree(id uint64, low, high []byte, depth int, visit func(entry) error) error {
	if depth > maxDepth {
		return damagedf("its pages are %d levels deep", depth)
	}
	b, err := w.page(id)
	if err != nil {
		return err
	}
	if order.Uint16(b[8:]) == flagLeaf {
		return leaf(b, low, high, visit)
	}
	count := int(order.Uint16(b[10:]))
	if order.Uint16(b[8:]) != flagBranch || count == 0 {
		return damagedf("page %d has the flags %x and %d entries", id, order.Uint16(b[8:]), count)
	}
	keys := make([][]byte, count)
	children := make([]uint64, count)
	for i := range count {
		at := pageHeader + i*entrySize
		if at+entrySize > len(b) {
			return damagedf("page %d has %d entries in %d bytes", id, count, len(b))
		}
		key, ok := bytesAt(b, at, uint64(order.Uint32(b[at:])), uint64(order.Uint32(b[at+4:])))
		if !ok || !follows(low, key, i == 0) || high != nil && bytes.Compare(key, high) >= 0 {
			return damagedf("the entry %d of page %d is misplaced", i, id)
		}
		keys[i], children[i], low = key, order.Uint64(b[at+8:]), key
	}
	for i, child := range children {
		next := high
		if i+1 < count {
			next = keys[i+1]
		}
		if err := w.tree(child, keys[i], next, depth+1, visit); err != nil {
			return err
		}
	}
	return nil
}

// leaf visits the entries of a leaf, which may be one within the value of a bucket.
func leaf(b, low, high []byte, visit func(entry) error) error {
	count := int(order.Uint16(b[10:]))
	if count > (len(b)-pageHeader)/entrySize {
		return damagedf("a page has %d entries in %d bytes", count, len(b))
	}
	for i := range count {
		at := pageHeader + i*entrySize
		position, keySize, valueSize := uint64(order.Uint32(b[at+4:])), uint64(order.Uint32(b[at+8:])), uint64(order.Uint32(b[at+12:]))
		both, ok := bytesAt(b, at, position, keySize+valueSize)
		if !ok {
			return damagedf("the entry %d of a page is outside of it", i)
		}
		key := both[:keySize]
		if !follows(low, key, i == 0) || high != nil && bytes.Compare(key, high) >= 0 {
			return damagedf("the entry %d of a page is misplaced", i)
		}
		low = key
		if err := visit(entry{flags: order.Uint32(b[at:]), key: key, value: both[keySize:]}); err != nil {
			return err
		}
	}
	return nil
}

// bytesAt returns the bytes of an element at a position that counts from it.
func bytesAt(b []byte, at int, position, size uint64) ([]byte, bool) {
	from := uint64(at) + position
	if position < entrySize || from+size > uint64(len(b)) {
		return nil, false
	}
	return b[from : from+size], true
}

// follows reports whether a key, which is never empty, comes after the one before, or from the first
// one on.
func follows(before, key []byte, first bool) bool {
	c := bytes.Compare(before, key)
	return len(key) > 0 && (c < 0 || first && c == 0)
}

// bucket looks through an entry of the root, which is a bucket.
func (w *walk) bucket(e entry) error {
	if e.flags != flagBucket || len(e.value) < bucketSize {
		return damagedf("%q is no bucket", e.key)
	}
	visit := func(entry) error { return nil }
	if bytes.Equal(e.key, cellsName) {
		w.sequence = order.Uint64(e.value[8:])
		visit = w.cell
	}
	plain := func(e entry) error {
		if e.flags != 0 {
			return damagedf("an entry has the flags %x", e.flags)
		}
		return visit(e)
	}
	if root := order.Uint64(e.value); root != 0 {
		return w.tree(root, nil, nil, 0, plain)
	}
	inline := e.value[bucketSize:]
	if len(inline) < pageHeader || order.Uint64(inline) != 0 || order.Uint16(inline[8:]) != flagLeaf || order.Uint32(inline[12:]) != 0 {
		return damagedf("the bucket %q has no page", e.key)
	}
	return leaf(inline, nil, nil, plain)
}

func (w *walk) cell(e entry) error {
	s, err := decode(e.key, e.value)
	if err != nil {
		return err
	}
	w.newest = max(w.newest, s.session)
	w.counted.cells++
	w.counted.bytes += len(e.value)
	return nil
}

// freelist looks through the pages that are free: each once, in order, and none that is in use.
func (w *walk) freelist(id uint64) error {
	b, err := w.page(id)
	if err != nil {
		return err
	}
	count, at := uint64(order.Uint16(b[10:])), uint64(pageHeader)
	if count == 1<<16-1 { // the number is where the first page would be
		count, at = order.Uint64(b[at:]), at+8
	}
	if order.Uint16(b[8:]) != flagFreelist || count > (uint64(len(b))-at)/8 {
		return damagedf("%d free pages in %d bytes, with the flags %x", count, len(b), order.Uint16(b[8:]))
	}
	last := uint64(1)
	for i := range count {
		free := order.Uint64(b[at+8*i:])
		if free <= last || free >= w.end || w.used[free] {
			return damagedf("page %d of %d is free after %d, or used", free, w.end, last)
		}
		last = free
	}
	return nil
}
