package toolchain

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"os"
)

// writeSymbols writes the names of the symbols that program exports to path, in the form in which
// the linker looks them up (patches/both/hosttable.diff).
func writeSymbols(program, path string) (err error) {
	f, err := elf.Open(program)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return err
	}
	size := 1
	for size < 2*len(symbols) {
		size *= 2
	}
	table := make([]byte, 8*size)
	for _, s := range symbols {
		if s.Section == elf.SHN_UNDEF {
			continue
		}
		hash := fnv.New64a()
		hash.Write([]byte(s.Name))
		sum := hash.Sum64()
		i := int(sum & uint64(size-1))
		for binary.LittleEndian.Uint64(table[8*i:]) != 0 {
			i = (i + 1) & (size - 1)
		}
		binary.LittleEndian.PutUint64(table[8*i:], sum)
	}
	return os.WriteFile(path, table, 0o600)
}
