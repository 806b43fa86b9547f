package cell

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Go compares interfaces with methods by the addresses of their tables, which name a type and an
// interface. The compiler writes tables into plugins, and the runtime makes one when it converts a
// value before there is one. So that there is one table of each type and interface, the runtime
// decides: it does not know the tables of plugins (patches/link/itabs.diff), and each word of a
// plugin that holds the address of a table gets that of the runtime's table before any code of the
// plugin runs.

var (
	opening sync.Mutex
	opened  string // the plugin that Open loads
)

// Open loads a plugin by a function, which is called with the file.
func Open(file string, load func(file string) error) error {
	opening.Lock()
	defer opening.Unlock()
	opened = file
	return load(file)
}

// Bind binds the plugin that is being opened to the runtime's tables. It is the first function that
// the initialization of a plugin calls.
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
	places, err := tableWords(content)
	for _, place := range places {
		bindWord(base + uintptr(place))
	}
	return err
}

// A table is what the runtime calls an itab. It ends with the addresses of all methods.
type table struct {
	inter, typ unsafe.Pointer
	hash       uint32
	method     uintptr
}

// Go keeps this function of its own for others to use, see the runtime's iface.go.
//
//go:linkname getitab runtime.getitab
func getitab(inter, typ unsafe.Pointer, canFail bool) *table

// bindWord makes the word at an address, which holds that of a table, hold that of the runtime's.
//
//go:norace
//go:nocheckptr
func bindWord(at uintptr) {
	word := *(**uintptr)(unsafe.Pointer(&at))
	own := *(**table)(unsafe.Pointer(word))
	only := getitab(own.inter, own.typ, true)
	if only == nil || only == own {
		return
	}
	if only.hash == 0 {
		// The runtime has made this one. It leaves out the hash, by which the compiler looks for cases
		// of a type switch, and it does not know methods that the plugin of the type does not contain,
		// because nothing there calls them.
		for i := range methods(own.inter) {
			at := uintptr(i) * unsafe.Sizeof(own.method)
			from := (*uintptr)(unsafe.Add(unsafe.Pointer(&own.method), at))
			atomic.StoreUintptr((*uintptr)(unsafe.Add(unsafe.Pointer(&only.method), at)), *from)
		}
		atomic.StoreUint32(&only.hash, own.hash)
	}
	// The collector need not know: tables are not in the heap.
	atomic.StoreUintptr(word, uintptr(unsafe.Pointer(only)))
}

// methods returns the number of methods of an interface type.
func methods(inter unsafe.Pointer) int {
	var v any
	*(*unsafe.Pointer)(unsafe.Pointer(&v)) = inter
	return reflect.TypeOf(v).NumMethod()
}

// loadedAt returns the address where the system has loaded a file.
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

const tablePrefix = "go:itab."

// tableWords returns the places, relative to where a plugin is loaded, of the words that hold
// addresses of tables.
func tableWords(content []byte) ([]uint64, error) {
	f, err := elf.NewFile(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	if f.Class != elf.ELFCLASS64 {
		return nil, errors.New("the plugin is not for a machine of 64 bits")
	}
	// Plugins need no sections, so what the dynamic linker reads is read.
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
			return nil, err
		}
		for _, e := range entries {
			dynamic[elf.DynTag(e.Tag)] = e.Val
		}
	}
	names, err := at(dynamic[elf.DT_STRTAB], dynamic[elf.DT_STRSZ])
	if err != nil {
		return nil, err
	}
	relocations, err := at(dynamic[elf.DT_RELA], dynamic[elf.DT_RELASZ])
	if err != nil {
		return nil, err
	}
	tables := map[uint32]bool{} // by numbers of symbols
	var places []uint64
	const size = 24 // of a relocation: its place, its symbol and kind, an addend
	for ; len(relocations) >= size; relocations = relocations[size:] {
		place, symbol := f.ByteOrder.Uint64(relocations), elf.R_SYM64(f.ByteOrder.Uint64(relocations[8:]))
		is, known := tables[symbol]
		if !known {
			entry, err := at(dynamic[elf.DT_SYMTAB]+uint64(symbol)*elf.Sym64Size, elf.Sym64Size)
			if err != nil {
				return nil, err
			}
			name := f.ByteOrder.Uint32(entry)
			is = int(name) < len(names) && bytes.HasPrefix(names[name:], []byte(tablePrefix))
			tables[symbol] = is
		}
		if is {
			places = append(places, place)
		}
	}
	return places, nil
}
