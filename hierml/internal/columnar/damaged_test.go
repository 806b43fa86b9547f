package columnar

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// written returns the files of testdata that are no larger than most.
func written(t testing.TB, most int) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/*.[pfa][are]*")
	if err != nil {
		t.Fatal(err)
	}
	content := map[string][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) <= most {
			content[filepath.Base(file)] = data
		}
	}
	if len(content) < 5 {
		t.Fatal("there are no files")
	}
	return content
}

// bounded lowers what files may become, and returns a function that reads one and fails if that
// takes more memory.
func bounded(t testing.TB) func(data []byte, what string) error {
	ratio, most := textfile.MaxRatio, textfile.MaxUnpacked
	textfile.MaxRatio, textfile.MaxUnpacked = 20, 4<<20
	t.Cleanup(func() { textfile.MaxRatio, textfile.MaxUnpacked = ratio, most })
	return func(data []byte, what string) error {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := read(data)
		runtime.ReadMemStats(&after)
		// read itself keeps every value as an interface.
		if n := after.TotalAlloc - before.TotalAlloc; n > 100<<20 {
			t.Errorf("%s: %d bytes took %d MB (%v)", what, len(data), n>>20, err)
		}
		return err
	}
}

// TestCutColumns cuts files off: all are errors.
func TestCutColumns(t *testing.T) {
	read := bounded(t)
	for name, data := range written(t, 1<<20) {
		for k := 0; k < len(data); k += 1 + len(data)/20 {
			if err := read(data[:k], name); err == nil && filepath.Ext(name) != ".arrows" {
				t.Errorf("%s, cut to %d of %d bytes, is read", name, k, len(data))
			}
		}
	}
}

// TestDamagedColumns changes bytes: no file makes it panic, or takes memory that it does not have.
func TestDamagedColumns(t *testing.T) {
	read := bounded(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for name, data := range written(t, 60<<10) {
		for range 80 {
			changed := bytes.Clone(data)
			for range 1 + rng.IntN(3) {
				// The metadata is at the end, and that of streams at the beginning.
				k := rng.IntN(len(data))
				if rng.IntN(2) == 0 {
					k = len(data) - 1 - rng.IntN(min(len(data), 4096))
				}
				switch rng.IntN(4) {
				case 0:
					changed[k] = byte(rng.IntN(256))
				case 1:
					changed[k] ^= 1 << rng.IntN(8)
				case 2:
					changed[k] = 0xff
				default:
					for j := k; j < min(k+4, len(data)); j++ {
						changed[j] = 0xff
					}
				}
			}
			_ = read(changed, name) // which may be an error
		}
	}
}

// TestBoundedColumns lowers what files may become: those with many rows in few bytes are refused.
func TestBoundedColumns(t *testing.T) {
	ratio, most := textfile.MaxRatio, textfile.MaxUnpacked
	textfile.MaxRatio, textfile.MaxUnpacked = 1, 1<<16
	t.Cleanup(func() { textfile.MaxRatio, textfile.MaxUnpacked = ratio, most })
	for name, data := range written(t, 1<<20) {
		_, _, err := read(data)
		if many := strings.HasPrefix(name, "many"); many && (err == nil || !strings.Contains(err.Error(), "made to fill memory")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzColumns(f *testing.F) {
	for _, data := range written(f, 20<<10) {
		f.Add(data)
	}
	read := bounded(f)
	f.Fuzz(func(t *testing.T, data []byte) { _ = read(data, "fuzzed") })
}
