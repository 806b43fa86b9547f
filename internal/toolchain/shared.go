package toolchain

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// Go's linker writes an object file of a plugin and runs the system's linker through a C compiler,
// which it calls three more times to find out its features. For one object file, whose sections Go
// has laid out, the remaining work takes a thousandth of the time that these processes need to
// start. This file does that work, on AMD64 (patches/link/object.diff). It leaves objects with
// unusual content, and packages with C code, to the system's linker.

// writeShared makes a plugin of the object file that the linker left in dir, and writes it to path.
// It reports false if that needs the linker of the system.
func writeShared(dir, path string) (bool, error) {
	objects, err := filepath.Glob(filepath.Join(dir, "*.o"))
	if err != nil || len(objects) != 1 {
		return false, err
	}
	object, err := os.ReadFile(objects[0])
	if err != nil {
		return false, err
	}
	p := &pluginFile{object: object, got: map[gotEntry]int{}, plt: map[uint32]int{}}
	if !p.read() || !p.scan() || !p.layOut() || !p.relocate() {
		return false, nil
	}
	return true, os.WriteFile(path, p.out, 0o700)
}

// A pluginFile is a shared object that is made of an object file.
type pluginFile struct {
	object   []byte
	sections []pluginSection // by their numbers in the object
	symbols  []elf.Sym64     // by their numbers in the object
	names    []byte          // of symbols
	out      []byte

	// got and plt number the entries of the global offset table and of the
	// procedure linkage table.
	got map[gotEntry]int
	plt map[uint32]int
	// gotOrder and pltOrder are their keys by number.
	gotOrder []gotEntry
	pltOrder []uint32

	// dynamic are the symbols that the dynamic linker sees, by their numbers in
	// the object, in the order of its table, and numbers are these by those.
	dynamic []uint32
	numbers map[uint32]uint32
	// defined is the number of the first of them that the plugin defines.
	defined int

	// relative and symbolic are the relocations that are left to the dynamic
	// linker, of the plugin's own addresses and of symbols.
	relative, symbolic []elf.Rela64
	// relocations and relatives are how many there are of both, and of relative.
	relocations, relatives int

	// Addresses, which are also places in the file.
	dynsymAt, dynstrAt, hashAt, relaAt, pltAt, gotAt, dynamicAt uint64
	dynstr, hash                                                []byte
	// of the names of dynamic in dynstr
	starts []uint32
}

// A gotEntry is an entry of the global offset table: the address of a symbol, or
// its offset in the storage of a thread.
type gotEntry struct {
	symbol uint32
	thread bool
}

type pluginSection struct {
	elf.Section64
	name string
	// relocations are those of the section.
	relocations []elf.Rela64
	address     uint64
}

// kept reports whether the section is part of the plugin.
func (s *pluginSection) kept() bool {
	return elf.SectionFlag(s.Flags)&elf.SHF_ALLOC != 0 && elf.SectionFlag(s.Flags)&elf.SHF_TLS == 0
}

func (s *pluginSection) writable() bool { return elf.SectionFlag(s.Flags)&elf.SHF_WRITE != 0 }

func (s *pluginSection) empty() bool { return elf.SectionType(s.Type) == elf.SHT_NOBITS }

const (
	pluginPage   = 4096
	pltEntrySize = 8
	headersSize  = 64 + 4*56 // four program headers
)

// decode reads a table.
func decodeTable[T any](data []byte) []T {
	var t T
	list := make([]T, len(data)/binary.Size(t))
	if _, err := binary.Decode(data, binary.LittleEndian, list); err != nil {
		panic(err) // it has the size
	}
	return list
}

// stringAt returns the string at a place of a table of strings.
func stringAt(table []byte, at uint32) string {
	s := table[at:]
	return string(s[:bytes.IndexByte(s, 0)])
}

// read reads the object file.
func (p *pluginFile) read() bool {
	header := decodeTable[elf.Header64](p.object[:64])[0]
	if elf.Machine(header.Machine) != elf.EM_X86_64 {
		return false
	}
	sections := decodeTable[elf.Section64](p.object[header.Shoff : header.Shoff+uint64(header.Shnum)*64])
	data := func(s elf.Section64) []byte { return p.object[s.Off : s.Off+s.Size] }
	names := data(sections[header.Shstrndx])
	for _, s := range sections {
		p.sections = append(p.sections, pluginSection{Section64: s, name: stringAt(names, s.Name)})
	}
	for _, s := range sections {
		switch elf.SectionType(s.Type) {
		case elf.SHT_SYMTAB:
			p.symbols = decodeTable[elf.Sym64](data(s))
			p.names = data(sections[s.Link])
		case elf.SHT_RELA:
			if to := &p.sections[s.Info]; to.kept() {
				to.relocations = decodeTable[elf.Rela64](data(s))
			}
		case elf.SHT_REL, elf.SHT_GROUP, elf.SHT_SYMTAB_SHNDX:
			return false
		}
	}
	for i, s := range p.symbols {
		// The storage of a thread that plugins use is the program's.
		if elf.ST_TYPE(s.Info) == elf.STT_TLS && s.Shndx != uint16(elf.SHN_UNDEF) {
			if !p.global(uint32(i)) || stringAt(p.names, s.Name) != "runtime.tlsg" {
				return false
			}
			p.symbols[i].Shndx, p.symbols[i].Value, p.symbols[i].Size = uint16(elf.SHN_UNDEF), 0, 0
		}
	}
	return true
}

// global reports whether the dynamic linker resolves a symbol.
func (p *pluginFile) global(i uint32) bool {
	s := p.symbols[i]
	return elf.ST_BIND(s.Info) != elf.STB_LOCAL && elf.ST_VISIBILITY(s.Other) == elf.STV_DEFAULT
}

// scan finds out which symbols and tables the relocations need, and reports
// whether it knows all of these.
func (p *pluginFile) scan() bool {
	for n := range p.sections {
		section := &p.sections[n]
		for _, r := range section.relocations {
			i := elf.R_SYM64(r.Info)
			s := p.symbols[i]
			global := p.global(i)
			if place := elf.SectionIndex(s.Shndx); !global && (place == elf.SHN_UNDEF || place >= elf.SHN_LORESERVE || !p.sections[s.Shndx].kept()) {
				return false
			}
			switch elf.R_X86_64(elf.R_TYPE64(r.Info)) {
			case elf.R_X86_64_64:
				if !section.writable() {
					return false
				}
				p.leave(global)
			case elf.R_X86_64_PC32:
				if global && elf.ST_TYPE(s.Info) != elf.STT_FUNC {
					return false
				}
				p.call(i, global)
			case elf.R_X86_64_PLT32:
				p.call(i, global)
			case elf.R_X86_64_GOTPCREL, elf.R_X86_64_GOTPCRELX, elf.R_X86_64_REX_GOTPCRELX:
				p.entry(gotEntry{i, false}, global)
			case elf.R_X86_64_GOTTPOFF:
				if !global {
					return false
				}
				p.entry(gotEntry{i, true}, true)
			default:
				return false
			}
		}
	}
	return true
}

// call records a call of a symbol.
func (p *pluginFile) call(symbol uint32, global bool) {
	if _, ok := p.plt[symbol]; global && !ok {
		p.plt[symbol] = len(p.pltOrder)
		p.pltOrder = append(p.pltOrder, symbol)
		p.entry(gotEntry{symbol, false}, true)
	}
}

// entry records a symbol that is found through the global offset table.
func (p *pluginFile) entry(e gotEntry, global bool) {
	if _, ok := p.got[e]; !ok {
		p.got[e] = len(p.gotOrder)
		p.gotOrder = append(p.gotOrder, e)
		p.leave(global)
	}
}

// leave records a relocation for the dynamic linker.
func (p *pluginFile) leave(global bool) {
	p.relocations++
	if !global {
		p.relatives++
	}
}

// layOut assigns all addresses, and writes the parts that do not depend on them. The first segment
// is read-only, the second contains the rest. None becomes read-only after relocation, because
// package cell binds plugins to the runtime's interface tables.
func (p *pluginFile) layOut() bool {
	p.collect()
	at := uint64(headersSize)
	place := func(size, align uint64) uint64 {
		at = (at + align - 1) &^ (align - 1)
		start := at
		at += size
		return start
	}
	sections := func(choose func(*pluginSection) bool) {
		for i := range p.sections {
			if s := &p.sections[i]; s.kept() && choose(s) {
				s.address = place(s.Size, max(s.Addralign, 1))
			}
		}
	}
	p.dynsymAt = place(uint64(len(p.dynamic))*24, 8)
	p.dynstrAt = place(uint64(len(p.dynstr)), 1)
	p.hashAt = place(uint64(len(p.hash)), 8)
	p.relaAt = place(uint64(p.relocations)*24, 8)
	p.pltAt = place(uint64(len(p.pltOrder))*pltEntrySize, 16)
	sections(func(s *pluginSection) bool { return !s.writable() })
	text := at

	written := place(0, pluginPage)
	entries := p.dynamicEntries(0, 0)
	p.dynamicAt = place(uint64(len(entries))*16, 8)
	p.gotAt = place(uint64(len(p.gotOrder))*8, 8)
	sections(func(s *pluginSection) bool { return s.writable() && !s.empty() })
	file := at
	sections(func(s *pluginSection) bool { return s.writable() && s.empty() })
	if at > math.MaxInt32 {
		return false
	}

	p.out = make([]byte, file)
	for i := range p.sections {
		if s := &p.sections[i]; s.kept() && !s.empty() {
			copy(p.out[s.address:], p.object[s.Off:s.Off+s.Size])
		}
	}
	var init, initSize uint64
	for i := range p.sections {
		if s := &p.sections[i]; elf.SectionType(s.Type) == elf.SHT_INIT_ARRAY {
			init, initSize = s.address, s.Size
		}
	}
	p.put(0, elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
		Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 4, Shentsize: 64,
	})
	segment := func(kind elf.ProgType, flags elf.ProgFlag, from, fileEnd, end, align uint64) elf.Prog64 {
		return elf.Prog64{Type: uint32(kind), Flags: uint32(flags), Off: from, Vaddr: from, Paddr: from, Filesz: fileEnd - from, Memsz: end - from, Align: align}
	}
	dynamicEnd := p.dynamicAt + uint64(len(entries))*16
	p.put(64, []elf.Prog64{
		segment(elf.PT_LOAD, elf.PF_R|elf.PF_X, 0, text, text, pluginPage),
		segment(elf.PT_LOAD, elf.PF_R|elf.PF_W, written, file, at, pluginPage),
		segment(elf.PT_DYNAMIC, elf.PF_R|elf.PF_W, p.dynamicAt, dynamicEnd, dynamicEnd, 8),
		segment(elf.PT_GNU_STACK, elf.PF_R|elf.PF_W, 0, 0, 0, 16),
	})
	copy(p.out[p.dynstrAt:], p.dynstr)
	copy(p.out[p.hashAt:], p.hash)
	p.put(p.dynamicAt, p.dynamicEntries(init, initSize))
	return true
}

// dynamicEntries are the entries for the dynamic linker.
func (p *pluginFile) dynamicEntries(init, initSize uint64) []elf.Dyn64 {
	flags := elf.DF_BIND_NOW
	if slices.ContainsFunc(p.gotOrder, func(e gotEntry) bool { return e.thread }) {
		flags |= elf.DF_STATIC_TLS
	}
	var entries []elf.Dyn64
	add := func(tag elf.DynTag, value uint64) { entries = append(entries, elf.Dyn64{Tag: int64(tag), Val: value}) }
	add(elf.DT_GNU_HASH, p.hashAt)
	add(elf.DT_STRTAB, p.dynstrAt)
	add(elf.DT_STRSZ, uint64(len(p.dynstr)))
	add(elf.DT_SYMTAB, p.dynsymAt)
	add(elf.DT_SYMENT, 24)
	add(elf.DT_RELA, p.relaAt)
	add(elf.DT_RELASZ, uint64(p.relocations)*24)
	add(elf.DT_RELAENT, 24)
	add(elf.DT_RELACOUNT, uint64(p.relatives))
	add(elf.DT_INIT_ARRAY, init)
	add(elf.DT_INIT_ARRAYSZ, initSize)
	add(elf.DT_FLAGS, uint64(flags))
	add(elf.DT_FLAGS_1, uint64(elf.DF_1_NOW))
	add(elf.DT_NULL, 0)
	return entries
}

// put writes a table.
func (p *pluginFile) put(at uint64, table any) {
	if _, err := binary.Encode(p.out[at:], binary.LittleEndian, table); err != nil {
		panic(err) // there is room
	}
}

// collect makes the table of the dynamic linker's symbols: those that the plugin
// does not define, and the others in the order of the buckets of the hash table.
func (p *pluginFile) collect() {
	type named struct {
		symbol, sum uint32
	}
	var imported []uint32
	var exported []named
	for n := range p.symbols[1:] {
		i := uint32(n + 1)
		if !p.global(i) {
			continue
		}
		if p.symbols[i].Shndx == uint16(elf.SHN_UNDEF) {
			imported = append(imported, i)
			continue
		}
		sum := uint32(5381)
		for _, c := range []byte(stringAt(p.names, p.symbols[i].Name)) {
			sum = sum*33 + uint32(c)
		}
		exported = append(exported, named{i, sum})
	}
	buckets := uint32(len(exported)/4 + 1)
	slices.SortStableFunc(exported, func(a, b named) int { return int(a.sum%buckets) - int(b.sum%buckets) })

	p.dynamic = append([]uint32{0}, imported...)
	p.defined = len(p.dynamic)
	for _, e := range exported {
		p.dynamic = append(p.dynamic, e.symbol)
	}
	p.numbers = map[uint32]uint32{}
	p.dynstr = []byte{0}
	p.starts = []uint32{0}
	for n, i := range p.dynamic[1:] {
		p.numbers[i] = uint32(n + 1)
		p.starts = append(p.starts, uint32(len(p.dynstr)))
		p.dynstr = append(append(p.dynstr, stringAt(p.names, p.symbols[i].Name)...), 0)
	}

	// The filter has a word of 64 bits for each eight symbols, a power of two.
	words, shift := uint32(1), uint32(26)
	for int(words)*8 < len(exported) {
		words *= 2
	}
	filter := make([]uint64, words)
	first := make([]uint32, buckets)
	chain := make([]uint32, len(exported))
	for n, e := range exported {
		filter[e.sum/64%words] |= 1<<(e.sum%64) | 1<<(e.sum>>shift%64)
		b := e.sum % buckets
		if first[b] == 0 {
			first[b] = uint32(p.defined + n)
		}
		chain[n] = e.sum &^ 1
		if n+1 == len(exported) || exported[n+1].sum%buckets != b {
			chain[n] |= 1
		}
	}
	for _, part := range []any{[]uint32{buckets, uint32(p.defined), words, shift}, filter, first, chain} {
		var err error
		if p.hash, err = binary.Append(p.hash, binary.LittleEndian, part); err != nil {
			panic(err) // they have a size
		}
	}
}

// address returns that of a symbol which the plugin defines.
func (p *pluginFile) address(i uint32) uint64 {
	s := p.symbols[i]
	return p.sections[s.Shndx].address + s.Value
}

// relocate carries out the relocations that it can, and writes those that are
// left to the dynamic linker, and the tables.
func (p *pluginFile) relocate() bool {
	for n := range p.sections {
		section := &p.sections[n]
		for _, r := range section.relocations {
			i := elf.R_SYM64(r.Info)
			at := section.address + r.Off
			var to uint64
			switch elf.R_X86_64(elf.R_TYPE64(r.Info)) {
			case elf.R_X86_64_64:
				p.later(at, i, elf.R_X86_64_64, r.Addend)
				continue
			case elf.R_X86_64_PC32, elf.R_X86_64_PLT32:
				if p.global(i) {
					to = p.pltAt + uint64(p.plt[i])*pltEntrySize
				} else {
					to = p.address(i)
				}
			case elf.R_X86_64_GOTTPOFF:
				to = p.gotAt + uint64(p.got[gotEntry{i, true}])*8
			default: // of the global offset table, see scan
				to = p.gotAt + uint64(p.got[gotEntry{i, false}])*8
			}
			distance := int64(to) + r.Addend - int64(at)
			if int64(int32(distance)) != distance {
				return false
			}
			binary.LittleEndian.PutUint32(p.out[at:], uint32(distance))
		}
	}
	for n, e := range p.gotOrder {
		kind := elf.R_X86_64_GLOB_DAT
		if e.thread {
			kind = elf.R_X86_64_TPOFF64
		}
		p.later(p.gotAt+uint64(n)*8, e.symbol, kind, 0)
	}
	for n, symbol := range p.pltOrder {
		at := p.pltAt + uint64(n)*pltEntrySize
		entry := p.gotAt + uint64(p.got[gotEntry{symbol, false}])*8
		copy(p.out[at:], "\xff\x25\x00\x00\x00\x00\x66\x90") // JMP *entry(IP)
		binary.LittleEndian.PutUint32(p.out[at+2:], uint32(entry-(at+6)))
	}
	symbols := make([]elf.Sym64, len(p.dynamic))
	for n, i := range p.dynamic {
		s := p.symbols[i]
		s.Name = p.starts[n]
		if n >= p.defined {
			s.Value = p.address(i)
			s.Shndx = 1 // it is not looked at, but for being defined
		}
		symbols[n] = s
	}
	p.put(p.dynsymAt, symbols)
	p.put(p.relaAt, append(p.relative, p.symbolic...))
	return true
}

// later leaves a relocation to the dynamic linker.
func (p *pluginFile) later(at uint64, symbol uint32, kind elf.R_X86_64, add int64) {
	if p.global(symbol) {
		p.symbolic = append(p.symbolic, elf.Rela64{Off: at, Info: elf.R_INFO(p.numbers[symbol], uint32(kind)), Addend: add})
		return
	}
	p.relative = append(p.relative, elf.Rela64{Off: at, Info: elf.R_INFO(0, uint32(elf.R_X86_64_RELATIVE)), Addend: int64(p.address(symbol)) + add})
}
