package carry

import (
	"bufio"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"unsafe"
)

// static is the memory of the program's own variables and constants, which has the same layout in
// each process. A pointer into it becomes a pointer into the other process's: time.Local, io.EOF.
type static struct {
	base   uintptr
	ranges [][2]uintptr // relative to base
	// id identifies the program.
	id string
}

var errOther = errors.New("the variables are those of another program")

// staticMemory finds it. It finds none if programs are not ELF files.
func staticMemory() (s static, err error) {
	s.id = runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	if runtime.GOOS != "linux" {
		return s, nil
	}
	f, err := elf.Open("/proc/self/exe")
	if err != nil {
		return s, fmt.Errorf("the program's own file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if f.Type == elf.ET_DYN {
		if s.base, err = loadAddress(); err != nil {
			return s, err
		}
	}
	for _, section := range f.Sections {
		switch section.Name {
		case ".data", ".noptrdata", ".bss", ".noptrbss", ".rodata":
			s.ranges = append(s.ranges, [2]uintptr{uintptr(section.Addr), uintptr(section.Addr + section.Size)})
			s.id += fmt.Sprintf(" %s %x+%x", section.Name, section.Addr, section.Size)
		}
	}
	return s, nil
}

// loadAddress returns where the program was loaded.
func loadAddress() (uintptr, error) {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return 0, fmt.Errorf("the program's own file: %w", err)
	}
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return 0, fmt.Errorf("the program's memory: %w", err)
	}
	defer func() { _ = f.Close() }() // it was read only
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if start, _, ok := strings.Cut(lines.Text(), "-"); ok && strings.HasSuffix(lines.Text(), exe) {
			n, err := strconv.ParseUint(start, 16, 64)
			return uintptr(n), err
		}
	}
	return 0, errors.New("the program's memory: its file was not found")
}

func (s *static) has(p unsafe.Pointer) bool {
	_, ok := s.offset(p)
	return ok
}

// offset returns the offset of p in the program's own memory.
func (s *static) offset(p unsafe.Pointer) (uintptr, bool) {
	offset := uintptr(p) - s.base
	return offset, s.covers(offset)
}

func (s *static) covers(offset uintptr) bool {
	for _, r := range s.ranges {
		if r[0] <= offset && offset < r[1] {
			return true
		}
	}
	return false
}
