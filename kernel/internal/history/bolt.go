package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
)

// The layout of a file of bbolt 1, whose numbers have the byte order of the machine.
const (
	boltMagic   = 0xED0CDAED
	boltVersion = 2

	pageHeader = 16 // id 8, flags 2, count 2, overflow 4
	metaSummed = 56 // of a meta page, whose checksum follows
	bucketSize = 16 // root 8, sequence 8
	// of a branch: position 4, key 4, page 8; of a leaf: flags 4, position 4, key 4, value 4
	entrySize = 16

	branchPage, leafPage = 1, 2
	bucketEntry          = 1
)

var order = binary.NativeEndian

// A boltFile is a history in the format of earlier versions of this program: a file of bbolt, with
// the cells in one bucket, by session and line. It is parsed here because bbolt itself trusts a
// file: a damaged one can end the process.
type boltFile struct {
	content  []byte
	pageSize uint64
	used     []bool // by page
	visited  int    // bytes of entries
}

// readBolt returns the cells of such a file. It visits each page once, and positions outside the
// file panic, so that a damaged file gives an error.
func readBolt(content []byte) (cells []Cell, err error) {
	defer func() {
		if p := recover(); p != nil {
			cells, err = nil, fmt.Errorf("the file is damaged: %v", p)
		}
	}()
	meta := newestMeta(content)
	if meta == nil {
		return nil, errors.New("the file is damaged: it does not begin as a history")
	}
	b := &boltFile{content: content, pageSize: uint64(order.Uint32(meta[8:]))}
	if b.pageSize < 1024 {
		panic("its pages are too small")
	}
	b.used = make([]bool, uint64(len(content))/b.pageSize)
	found := false
	b.visit(b.page(order.Uint64(meta[16:])), func(flags uint32, name, bucket []byte) {
		if flags != bucketEntry || string(name) != "cells" {
			return
		}
		found = true
		page := bucket[bucketSize:]
		if root := order.Uint64(bucket); root != 0 {
			page = b.page(root)
		}
		b.visit(page, func(_ uint32, key, value []byte) { cells = append(cells, decodeCell(key, value)) })
	})
	if !found {
		panic("it has no bucket for cells")
	}
	return cells, nil
}

// newestMeta returns the meta page of the last transaction, or nil. It is one of the first two
// pages; pages have the size of the system's memory pages.
func newestMeta(content []byte) (newest []byte) {
	for _, page := range []int{0, 4 << 10, 16 << 10, 64 << 10} {
		if page+pageHeader+metaSummed+8 > len(content) {
			break
		}
		meta, sum := content[page+pageHeader:], fnv.New64a()
		sum.Write(meta[:metaSummed])
		if order.Uint32(meta) == boltMagic && order.Uint32(meta[4:]) == boltVersion && order.Uint64(meta[metaSummed:]) == sum.Sum64() &&
			(newest == nil || order.Uint64(meta[48:]) > order.Uint64(newest[48:])) {
			newest = meta
		}
	}
	return newest
}

// page returns a page with its continuations.
func (b *boltFile) page(id uint64) []byte {
	if b.used[id] {
		panic(fmt.Sprintf("page %d is used twice", id))
	}
	b.used[id] = true
	page := b.content[id*b.pageSize:]
	return page[:(1+uint64(order.Uint32(page[12:])))*b.pageSize]
}

// visit calls leaf for the entries of a page and of the pages below it.
func (b *boltFile) visit(page []byte, leaf func(flags uint32, key, value []byte)) {
	flags, count := order.Uint16(page[8:]), int(order.Uint16(page[10:]))
	for i := range count {
		entry := page[pageHeader+i*entrySize:]
		switch flags {
		case branchPage:
			b.visit(b.page(order.Uint64(entry[8:])), leaf)
		case leafPage:
			position, key, value := uint64(order.Uint32(entry[4:])), uint64(order.Uint32(entry[8:])), uint64(order.Uint32(entry[12:]))
			text := entry[position : position+key+value]
			if b.visited += len(text); b.visited > len(b.content) {
				panic("its entries overlap")
			}
			leaf(order.Uint32(entry), text[:key], text[key:])
		default:
			panic(fmt.Sprintf("a page has the flags %x", flags))
		}
	}
}

// decodeCell returns the cell of a key, which is session and line, and a value: the length of the
// input, the input and the output.
func decodeCell(key, value []byte) Cell {
	n, size := binary.Uvarint(value)
	text := value[size:]
	c := Cell{
		Session: int(binary.BigEndian.Uint64(key)), Line: int(binary.BigEndian.Uint64(key[8:])),
		Input: string(text[:n]), Output: string(text[n:]),
	}
	if !c.valid() {
		panic(fmt.Sprintf("a cell has the key %x", key))
	}
	return c
}
