package compiled

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"github.com/hierml/notebook/internal/process"
)

// anchor is a variable whose place and symbol are known.
var anchor byte

const anchorName = "github.com/hierml/notebook/kernel/internal/compiled.anchor"

// runtimeVariables returns where variables of other packages are, which are among the symbols that this
// program exports to plugins.
//
//go:nocheckptr
func runtimeVariables(names ...string) (at []unsafe.Pointer, err error) {
	program, err := process.Program() // another build may be under its name by now
	if err != nil {
		return nil, err
	}
	file, err := os.Open(program)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	values, err := exported(file, append(names, anchorName))
	if err != nil {
		return nil, err
	}
	for _, value := range values[:len(names)] {
		at = append(at, unsafe.Add(unsafe.Pointer(&anchor), int(value-values[len(names)])))
	}
	return at, nil
}

// exported returns the values of symbols that an executable file exports. They are some of a
// hundred thousand, so the others are not made objects of.
func exported(file *os.File, names []string) (values []uint64, err error) {
	f, err := elf.NewFile(file)
	if err != nil {
		return nil, err
	}
	table, texts := f.Section(".dynsym"), f.Section(".dynstr")
	if f.Class != elf.ELFCLASS64 || table == nil || texts == nil {
		return nil, errors.New("the program exports no symbols")
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	mapped, err := syscall.Mmap(int(file.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, syscall.Munmap(mapped)) }()
	symbols, text := mapped[table.Offset:][:table.Size], mapped[texts.Offset:][:texts.Size]
	values = make([]uint64, len(names))
	wanted := make([][]byte, len(names))
	for i, name := range names {
		wanted[i] = append([]byte(name), 0)
	}
	for ; len(symbols) >= elf.Sym64Size; symbols = symbols[elf.Sym64Size:] {
		name := f.ByteOrder.Uint32(symbols)
		for i := range wanted {
			if bytes.HasPrefix(text[name:], wanted[i]) {
				const value = 8 // its offset in a symbol
				values[i] = f.ByteOrder.Uint64(symbols[value:])
			}
		}
	}
	for i, value := range values {
		if value == 0 {
			return nil, fmt.Errorf("the program does not export %s", names[i])
		}
	}
	return values, nil
}
