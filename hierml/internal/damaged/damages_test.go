package damaged

import (
	"fmt"
	"strings"
)

// damage is a way to damage the sound file of any format.
type damage struct {
	name, steps string
}

// damagesOf returns what is done to the sound file, which is text unless it is packed.
func damagesOf(f *format) []damage {
	n := len(f.sound)
	damages := []damage{
		{"empty", "keep 0"},
		{"cut after a third", fmt.Sprintf("keep %d", n/3)},
		{"cut after two thirds", fmt.Sprintf("keep %d", 2*n/3)},
		{"last bytes lost", "cut 3"},
		{"no line ends", "cr"},
		{"UTF-16", "utf16"},
		{"NUL bytes", fmt.Sprintf("insert %d 000000", n/2)},
		{"zeros at the end", "insert " + fmt.Sprint(n) + " " + strings.Repeat("00", 64)},
		{"a program", "insert 0 7f454c4602010100000000000000000002003e0001"},
		{"gzip cut", "gzip, cut 12"},
		{"gzip without its content", "gzip, keep 10"},
		{"gzip without its whole head", "gzip, keep 5"},
		{"gzip with a flipped bit", "gzip, flip -12 3"},
		{"gzip with a wrong checksum", "gzip, flip -7 0"},
		{"gzip with something behind", "gzip, insert " + fmt.Sprint(len(gzipped(f.sound))) + " 00112233445566778899"},
		{"gzip twice", "gzip, gzip"},
		{"zstd cut", "zstd, cut 6"},
		{"zstd with a flipped bit", "zstd, flip 12 2"},
		{"xz by its head alone", "insert 0 fd377a585a000004"},
		{"bzip2 by its head alone", "insert 0 425a6839314159265359"},
		{"compress by its head alone", "insert 0 1f9d90"},
	}
	if !f.archive {
		damages = append(damages, damage{"a zip archive", "zip inside.txt"}, damage{"a tar archive", "tar inside.txt"})
	}
	// Bits of the third, fifth and seventh eighth of the file.
	for _, eighth := range []int{3, 5, 7} {
		for _, bit := range []int{7, 4} {
			damages = append(damages, damage{fmt.Sprintf("bit %d flipped at %d eighths", bit, eighth), fmt.Sprintf("flip %d %d", n*eighth/8, bit)})
		}
	}
	return damages
}

func gzipped(text string) []byte {
	data, err := prepare("gzip", text)
	if err != nil {
		panic(err)
	}
	return data
}
