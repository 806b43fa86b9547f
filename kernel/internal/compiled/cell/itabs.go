package cell

import (
	"bufio"
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Go compares interfaces with methods by the addresses of their tables, which name a type and an
// interface. The compiler writes tables into plugins, and the runtime makes a missing one when it
// converts a value. Only one table may exist for each type and interface, so the runtime's tables
// are used everywhere: it does not know the tables of plugins (patches/link/itabs.diff), and each
// word of a plugin with the address of a table is set to that of the runtime's table before any
// code of the plugin runs.
//
// A type of the session is compiled again when a later cell declares a method of it. Function
// values and goroutines continue with the code of older plugins. They must also make values of the
// newest type, so the words of all plugins with the address of the type, or of a table of it, are
// changed then (Renew). References within types stay.

var (
	opening sync.Mutex
	opened  string // the plugin that Open loads
	bound   words  // of all plugins
	fresh   words  // of plugins opened since the last Renew
)

// words are addresses of words with the addresses of types and of tables. Most types and tables of
// the program are not among them.
type words struct{ types, tables []uintptr }

// Open loads a plugin with a function, which it calls with the file.
func Open(file string, load func(file string) error) error {
	opening.Lock()
	defer opening.Unlock()
	opened = file
	return load(file)
}

// Bind binds the plugin that is being opened to the runtime's tables. The initialization of a
// plugin calls it first.
func Bind() {
	if err := bind(opened); err != nil {
		panic(fmt.Errorf("%s cannot be loaded: %w", filepath.Base(opened), err))
	}
}

func bind(file string) error {
	base, err := loadedAt(file)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	found, err := wordsOf(content)
	for _, place := range found.tables {
		at := base + uintptr(place)
		if own := loadWord[table](at); bindWord(at, own.inter, own.typ) && (isSession(typeAt(own.typ)) || isSession(typeAt(own.inter))) {
			fresh.tables = append(fresh.tables, at)
		}
	}
	for _, place := range found.types {
		at := base + uintptr(place)
		if isSession(typeAt(unsafe.Pointer(loadWord[byte](at)))) {
			fresh.types = append(fresh.types, at)
		}
	}
	return err
}

// Renew makes the code of plugins use the types that current returns instead of those that they
// use. It changes all plugins if one of these types was compiled again, and otherwise only those
// opened since the last call.
func Renew(again bool, current func(reflect.Type) reflect.Type) {
	opening.Lock()
	defer opening.Unlock()
	of := fresh
	bound.types, bound.tables = append(bound.types, fresh.types...), append(bound.tables, fresh.tables...)
	fresh = words{}
	if again {
		of = bound
	}
	for _, at := range of.types {
		was := typeAt(unsafe.Pointer(loadWord[byte](at)))
		if now := current(was); now != was {
			storeWord(at, pointerTo(now))
		}
	}
	for _, at := range of.tables {
		own := loadWord[table](at)
		inter, typ := typeAt(own.inter), typeAt(own.typ)
		if i, t := current(inter), current(typ); i != inter || t != typ {
			bindWord(at, pointerTo(i), pointerTo(t))
		}
	}
}

// isSession reports whether a type contains a type of cells.
func isSession(t reflect.Type) bool { return strings.Contains(t.String(), "main.") }

// typeAt returns the type whose description is at an address, and pointerTo returns that address.
func typeAt(p unsafe.Pointer) reflect.Type {
	var v any
	*(*unsafe.Pointer)(unsafe.Pointer(&v)) = p
	return reflect.TypeOf(v)
}

func pointerTo(t reflect.Type) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1] }

// loadWord returns the pointer in the word at an address.
//
//go:nocheckptr
func loadWord[T any](at uintptr) *T {
	return (*T)(atomic.LoadPointer(*(**unsafe.Pointer)(unsafe.Pointer(&at))))
}

// storeWord sets the word at an address. The garbage collector need not know: types and tables made
// by reflection and the runtime are never freed.
//
//go:nocheckptr
func storeWord(at uintptr, p unsafe.Pointer) {
	atomic.StoreUintptr(*(**uintptr)(unsafe.Pointer(&at)), uintptr(p))
}

// A table is the runtime's itab. It ends with the addresses of all methods.
type table struct {
	inter, typ unsafe.Pointer
	hash       uint32
	method     uintptr
}

// Go keeps this internal function accessible for others, see the runtime's iface.go.
//
//go:linkname getitab runtime.getitab
func getitab(inter, typ unsafe.Pointer, canFail bool) *table

// bindWord sets the word at an address, which points to a table, to the runtime's table of the same
// interface and type. It reports false if the type does not have the methods.
//
//go:norace
func bindWord(at uintptr, inter, typ unsafe.Pointer) bool {
	own := loadWord[table](at)
	only := getitab(inter, typ, true)
	if only == nil {
		return false
	}
	if only == own {
		return true
	}
	// The runtime does not know methods that nothing in the type's plugin calls, since the plugin
	// does not contain them.
	for i := range typeAt(inter).NumMethod() {
		step := uintptr(i) * unsafe.Sizeof(own.method)
		to := (*uintptr)(unsafe.Add(unsafe.Pointer(&only.method), step))
		if typ == own.typ && only.hash == 0 || runtime.FuncForPC(atomic.LoadUintptr(to)).Name() == "runtime.unreachableMethod" {
			atomic.StoreUintptr(to, *(*uintptr)(unsafe.Add(unsafe.Pointer(&own.method), step)))
		}
	}
	if only.hash == 0 && typ == own.typ {
		// The compiler finds the cases of a type switch by the hash, which the runtime omits.
		atomic.StoreUint32(&only.hash, own.hash)
	}
	storeWord(at, unsafe.Pointer(only))
	return true
}

// loadedAt returns the address at which the system has loaded a file.
func loadedAt(file string) (uintptr, error) {
	path, err := filepath.EvalSymlinks(file)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return 0, err
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return 0, err
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		// Address, permissions, offset, device, number and path.
		fields := strings.SplitN(lines.Text(), " ", 6)
		if len(fields) < 6 || strings.TrimLeft(fields[5], " ") != strings.ReplaceAll(path, "\n", `\012`) || strings.Trim(fields[2], "0") != "" {
			continue
		}
		start, _, _ := strings.Cut(fields[0], "-")
		at, err := strconv.ParseUint(start, 16, 64)
		return uintptr(at), err
	}
	return 0, errors.New("the system does not say where the plugin is")
}

// wordsOf returns the offsets in a plugin of the words with addresses of types and of tables,
// except those within types and tables.
func wordsOf(content []byte) (found words, err error) {
	f, err := elf.NewFile(bytes.NewReader(content))
	if err != nil {
		return found, err
	}
	if f.Class != elf.ELFCLASS64 {
		return found, errors.New("the plugin is not for a machine of 64 bits")
	}
	// Plugins may have no sections, so this reads the data for the dynamic linker.
	at := func(address, size uint64) ([]byte, error) {
		for _, p := range f.Progs {
			if p.Type == elf.PT_LOAD && address >= p.Vaddr && address-p.Vaddr <= p.Filesz && size <= p.Filesz-(address-p.Vaddr) {
				data := make([]byte, size)
				_, err := p.ReadAt(data, int64(address-p.Vaddr))
				return data, err
			}
		}
		return nil, io.ErrUnexpectedEOF
	}
	dynamic := map[elf.DynTag]uint64{}
	for _, p := range f.Progs {
		if p.Type != elf.PT_DYNAMIC {
			continue
		}
		entries := make([]elf.Dyn64, p.Filesz/16)
		if err := binary.Read(p.Open(), f.ByteOrder, entries); err != nil {
			return found, err
		}
		for _, e := range entries {
			dynamic[elf.DynTag(e.Tag)] = e.Val
		}
	}
	names, err := at(dynamic[elf.DT_STRTAB], dynamic[elf.DT_STRSZ])
	if err != nil {
		return found, err
	}
	number, err := symbolCount(f.ByteOrder, func(offset, size uint64) ([]byte, error) {
		return at(dynamic[elf.DT_GNU_HASH]+offset, size)
	})
	if err != nil {
		return found, err
	}
	table, err := at(dynamic[elf.DT_SYMTAB], number*elf.Sym64Size)
	if err != nil {
		return found, err
	}
	symbols := make([]elf.Sym64, number)
	if _, err := binary.Decode(table, f.ByteOrder, symbols); err != nil {
		return found, err
	}
	isTable, isType := make([]bool, number), make([]bool, number)
	var descriptions []elf.Sym64 // types and tables that the plugin defines, by address
	for i, s := range symbols {
		if int(s.Name) >= len(names) {
			return found, io.ErrUnexpectedEOF
		}
		name := names[s.Name:]
		isTable[i] = bytes.HasPrefix(name, []byte("go:itab."))
		isType[i] = bytes.HasPrefix(name, []byte("type:")) && !bytes.HasPrefix(name, []byte("type:.")) // those are parts of types
		if (isType[i] || isTable[i]) && elf.SectionIndex(s.Shndx) != elf.SHN_UNDEF {
			descriptions = append(descriptions, s)
		}
	}
	slices.SortFunc(descriptions, func(a, b elf.Sym64) int { return cmp.Compare(a.Value, b.Value) })
	within := func(place uint64) bool {
		i, is := slices.BinarySearchFunc(descriptions, place, func(s elf.Sym64, place uint64) int { return cmp.Compare(s.Value, place) })
		return is || i > 0 && place < descriptions[i-1].Value+descriptions[i-1].Size
	}
	relocations, err := at(dynamic[elf.DT_RELA], dynamic[elf.DT_RELASZ])
	if err != nil {
		return found, err
	}
	list := make([]elf.Rela64, len(relocations)/binary.Size(elf.Rela64{}))
	if _, err := binary.Decode(relocations, f.ByteOrder, list); err != nil {
		return found, err
	}
	for _, r := range list {
		switch symbol := elf.R_SYM64(r.Info); {
		case uint64(symbol) >= number:
			return found, io.ErrUnexpectedEOF
		case isTable[symbol]:
			found.tables = append(found.tables, uintptr(r.Off))
		case isType[symbol] && !within(r.Off):
			found.types = append(found.types, uintptr(r.Off))
		}
	}
	return found, nil
}

// symbolCount returns the number of dynamic symbols, which only the hash table of the dynamic
// linker tells: the last symbol ends the chain of a bucket.
func symbolCount(order binary.ByteOrder, at func(offset, size uint64) ([]byte, error)) (uint64, error) {
	header, err := at(0, 16)
	if err != nil {
		return 0, err
	}
	buckets, first, words := uint64(order.Uint32(header)), uint64(order.Uint32(header[4:])), uint64(order.Uint32(header[8:]))
	starts := 16 + 8*words
	data, err := at(starts, 4*buckets)
	if err != nil {
		return 0, err
	}
	last := uint64(0)
	for ; len(data) > 0; data = data[4:] {
		last = max(last, uint64(order.Uint32(data)))
	}
	if last < first {
		return first, nil // the plugin defines none
	}
	for {
		end, err := at(starts+4*buckets+4*(last-first), 4)
		if err != nil {
			return 0, err
		}
		last++
		if order.Uint32(end)&1 != 0 {
			return last, nil
		}
	}
}
