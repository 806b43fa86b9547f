package files

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/textfile"
)

// lowerBounds makes the bounds on packed data so low that tests reach them at once. It returns how
// many bytes a file of a size may become.
func lowerBounds(t testing.TB) (most func(size int) int64) {
	ratio, unpacked := textfile.MaxRatio, textfile.MaxUnpacked
	textfile.MaxRatio, textfile.MaxUnpacked = 50, 1<<20
	t.Cleanup(func() { textfile.MaxRatio, textfile.MaxUnpacked = ratio, unpacked })
	return func(size int) int64 { return 1<<20 + 50*int64(size) }
}

// mustWrite writes the content and closes w. The writers of these tests write to memory.
func mustWrite(w io.WriteCloser, content []byte) {
	_, err := w.Write(content)
	if err := errors.Join(err, w.Close()); err != nil {
		panic(err)
	}
}

func gzipped(content []byte) []byte {
	var b bytes.Buffer
	mustWrite(gzip.NewWriter(&b), content)
	return b.Bytes()
}

func zstandard(content []byte) []byte {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	mustWrite(w, content)
	return b.Bytes()
}

// Made by the programs bzip2 and xz: 8 and 1 MiB of spaces, and the header of a tar archive whose
// file apple/1.xml has 4 GiB.
const (
	bzip2Spaces = "QlpoOTFBWSZTWSzQnkMAQEAQgMAAAAQACCAAMMwFKaYBANiAgHi7kinChIFmhPIY"
	xzSpaces    = "/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj7///ANldABBv+7/+o7Fe5fg/sqomVfhocEFwFQ+N/R5MG4pCtxn0aRhxrmYjiopNL6MN2X+m44wjEVPgWRjFdYrid/i2lH8MasDedElk4ulcU7IE2PdEDKtfDW1G6eXDdoi3llestk3haR1v+0uIEGxCy4g/XACP0E6vJiiUcR89jyThcJ6nI1/sKMuF0ZWYin4qkfIndfcZwAaYTZj92K/VkA/EJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1Iq9+SVJQAAAAAA+deQ8Nzo7OQAAfUBgIBAAHmXf0exxGf7AgAAAAAEWVo="
	bzip2Header = "QlpoOTFBWSZTWWytUAQAAB/bgMmAQAH1gAIAYgZeQAgAIABUUAA0AD1Bk0U0NBkDIcZBAz7fCWKeRYBtOZwTG6BFXFGD0rnAUIfXvvgR0wAEvi7kinChINlaoAg="
	xzHeader    = "/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4AH/ADddADCcLNhmJUw9HHKXYklLOcRXqWxCS1MuJuraFePpGOAbVE+hZVLNvjVTTocZdOayOxTpY0ZCPgAAAOCQKZwWqTiYAAFTgAQAAABBict3scRn+wIAAAAABFla"
)

func decoded(text string) []byte {
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return content
}

// shared returns a zip archive of n entries that all have the one stored body.
func shared(body []byte, method uint16, n int) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateHeader(&zip.FileHeader{Name: "apple/00000.xml", Method: method})
	if err != nil {
		panic(err)
	}
	if _, err := w.Write(body); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	whole := b.Bytes()
	end := len(whole) - 22 // the record that ends the archive
	at := int(binary.LittleEndian.Uint32(whole[end+16:]))
	entry, tail := whole[at:end], bytes.Clone(whole[end:])
	out := bytes.Clone(whole[:at])
	for i := range n {
		name := bytes.Replace(entry, []byte("00000"), fmt.Appendf(nil, "%05d", i), 1)
		out = append(out, name...)
	}
	binary.LittleEndian.PutUint16(tail[8:], uint16(n))
	binary.LittleEndian.PutUint16(tail[10:], uint16(n))
	binary.LittleEndian.PutUint32(tail[12:], uint32(n*len(entry)))
	return append(out, tail...)
}

// sparse returns a tar archive of n files, each with a hole of size bytes and nothing stored.
func sparse(size, n int) []byte {
	var b bytes.Buffer
	for i := range n {
		name := fmt.Sprintf("apple/%d.xml", i)
		var records bytes.Buffer
		for _, r := range [][2]string{{"major", "0"}, {"minor", "1"}, {"name", name}, {"size", strconv.Itoa(size)}, {"numblocks", "0"}, {"map", ""}} {
			line := fmt.Sprintf(" GNU.sparse.%s=%s\n", r[0], r[1])
			fmt.Fprintf(&records, "%d%s", len(line)+2, line) // all have from 10 to 99 bytes
		}
		b.Write(tarHeader('x', "records", records.Len()))
		b.Write(records.Bytes())
		b.Write(make([]byte, -records.Len()&511))
		b.Write(tarHeader(tar.TypeReg, name, 0))
	}
	return append(b.Bytes(), make([]byte, 1024)...)
}

// tarHeader returns the header of a file, of any kind and size. The package tar writes no sparse
// files.
func tarHeader(kind byte, name string, size int) []byte {
	h := make([]byte, 512)
	copy(h, name)
	copy(h[100:], "0000600\x000000000\x000000000\x00")
	copy(h[124:], fmt.Sprintf("%011o\x0000000000000\x00        ", size))
	h[156] = kind
	copy(h[257:], "ustar\x0000")
	sum := 0
	for _, c := range h {
		sum += int(c)
	}
	copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	return h
}

// unpack reads all documents and returns how many bytes their texts have.
func unpack(documents iter.Seq2[dataset.Document, error]) (bytes int64, err error) {
	for d, err := range documents {
		if err != nil {
			return bytes, err
		}
		bytes += int64(len(d.Text))
	}
	return bytes, nil
}

// TestArchiveBombs reads small files that become more than any may: each ends with an error that
// says so, repaired or not.
func TestArchiveBombs(t *testing.T) {
	most := lowerBounds(t)
	spaces := bytes.Repeat([]byte(" "), 300_000)
	plain := map[string]string{"apple/1.xml": string(bytes.Repeat(spaces, 8))}
	tarred := example.Tar(plain, "apple/1.xml", "apple/1.xml")
	manySpaces := bytes.Repeat(decoded(bzip2Spaces), 10)
	tax := example.Fruit()
	for _, bomb := range []struct {
		name    string
		content []byte
		archive bool // or a file of patents
	}{
		{"a zip archive with one deflated body", shared(spaces, zip.Deflate, 1000), true},
		{"a zip archive with one stored body", shared(spaces, zip.Store, 1000), true},
		{"a zip archive with one large body", shared(bytes.Repeat(spaces, 20), zip.Deflate, 1), true},
		{"holes in a tar archive", sparse(30<<20, 100), true},
		{"holes in a tar archive, by gzip", gzipped(sparse(1<<20, 100)), true},
		{"a tar archive by gzip", gzipped(tarred), true},
		{"a tar archive by zstd", zstandard(tarred), true},
		{"a tar archive by bzip2", append(decoded(bzip2Header), manySpaces...), true},
		{"a tar archive by xz", append(decoded(xzHeader), bytes.Repeat(decoded(xzSpaces), 10)...), true},
		{"a file by gzip", gzipped(bytes.Repeat(spaces, 20)), false},
		{"a file by zstd", zstandard(bytes.Repeat(spaces, 20)), false},
		{"a file by bzip2", manySpaces, false},
		{"a file by xz", bytes.Repeat(decoded(xzSpaces), 10), false},
	} {
		t.Run(bomb.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "bomb")
			if err := os.WriteFile(file, bomb.content, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, repair := range []*Faults{nil, new(Faults)} {
				if !bomb.archive {
					_, err := WIPO{Repair: repair}.Open(t.Context(), file, tax)
					wantGrowth(t, err, repair)
					continue
				}
				s := Folders{Repair: repair}
				n, err := unpack(s.Documents(t.Context(), bytes.NewReader(bomb.content), "bomb", tax))
				if n > most(len(bomb.content)) {
					t.Errorf("%d bytes became %d", len(bomb.content), n)
				}
				wantGrowth(t, err, repair)
				_, err = s.Open(t.Context(), file, tax)
				wantGrowth(t, err, repair)
			}
		})
	}
}

// wantGrowth wants the error that a file becomes too large, or that it was counted as a fault.
func wantGrowth(t *testing.T, err error, repair *Faults) {
	t.Helper()
	const words = "and unpack to more than"
	if repair != nil && strings.Contains(repair.String(), words) {
		return
	}
	var at *SyntaxError
	if !errors.As(err, &at) || at.Line == 0 || !strings.Contains(at.Msg, words) {
		t.Errorf("error %v, faults %v", err, repair)
	}
}

// container makes nested archives and compressed files, as the bytes of recipe say.
func container(recipe []byte) []byte {
	content := bytes.Repeat([]byte("<record> "), 1000)
	for _, step := range recipe {
		if len(content) > 1<<17 {
			break
		}
		n := 1 + int(step)/9
		switch step % 9 {
		case 0:
			content = gzipped(content)
		case 1:
			content = zstandard(content)
		case 2:
			content = shared(content, zip.Deflate, n*n)
		case 3:
			content = shared(content, zip.Store, n*n)
		case 4:
			content = example.Tar(map[string]string{"apple/1.xml": string(content)}, slices.Repeat([]string{"apple/1.xml"}, n)...)
		case 5:
			content = bytes.Repeat(content, n)
		case 6:
			content = append(content, sparse(n<<20, n)...)
		case 7:
			content = append(content, bytes.Repeat(decoded(bzip2Spaces), n)...)
		case 8:
			content = bytes.Repeat(decoded([]string{bzip2Spaces, xzSpaces}[n%2]), n)
		}
	}
	return content
}

// FuzzContainers puts containers into each other at random. Whatever they are, the texts and what
// is allocated for them stay below a bound that the size of the file gives.
func FuzzContainers(f *testing.F) {
	most := lowerBounds(f)
	random := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		recipe := make([]byte, 1+random.IntN(5))
		for i := range recipe {
			recipe[i] = byte(random.Uint32())
		}
		f.Add(recipe)
	}
	tax := example.Fruit()
	f.Fuzz(func(t *testing.T, recipe []byte) {
		content := container(recipe)
		for _, repair := range []*Faults{nil, new(Faults)} {
			for name, documents := range map[string]iter.Seq2[dataset.Document, error]{
				"folders": Folders{Repair: repair}.Documents(t.Context(), bytes.NewReader(content), "fuzz", tax),
				"patents": WIPO{Repair: repair}.Documents(t.Context(), bytes.NewReader(content), "fuzz", tax),
				"JSON":    JSONLines{Repair: repair}.Documents(t.Context(), bytes.NewReader(content), "fuzz", tax),
			} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				n, err := unpack(documents)
				runtime.ReadMemStats(&after)
				if n > 3*most(len(content)) { // a byte that is not UTF-8 becomes three
					t.Errorf("%s: %d bytes became %d; %v", name, len(content), n, err)
				}
				// Decompression takes some memory of its own, and a tag of XML some for its parts.
				if allocated := int64(after.TotalAlloc - before.TotalAlloc); allocated > 64<<20+50*most(len(content)) {
					t.Errorf("%s: of %d bytes came %d, and %d were allocated; %v", name, len(content), n, allocated, err)
				}
			}
		}
	})
}
