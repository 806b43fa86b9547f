package damaged

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/hierml/notebook/hierml/taxonomy"
)

var update = flag.Bool("update", false, "write the archives in testdata anew")

const (
	patience = 2 * time.Minute // on a busy machine; nothing here takes a second alone

	// Memory that a reader may take in all: buffers and windows of decompression, and what a file
	// of many bytes is worth until it is refused.
	maxMemory      = 64 << 20
	maxMemoryLarge = 640 << 20
)

// files returns the cases of a format: all damages of its sound file, and its own.
func (f *format) files() []damagedFile {
	var files []damagedFile
	for _, d := range damagesOf(f) {
		steps := d.steps
		if f.archive {
			steps = f.steps + ", " + d.steps
		}
		files = append(files, damagedFile{d.name, steps, f.sound})
	}
	return append(files, f.cases...)
}

// TestDamaged reads every damaged file as it is, and with repairs.
func TestDamaged(t *testing.T) {
	for _, f := range slices.Concat(instances, texts, taxonomies) {
		t.Run(f.name, func(t *testing.T) {
			archive := &txtar.Archive{Comment: []byte("Damaged files for the reader of " + f.file + ", the errors they give, and what repairs make of them.\n\n")}
			soundly(t, f)
			names := make(map[string]bool)
			for _, c := range f.files() {
				if names[c.name] {
					t.Fatalf("%s: two damaged files are called so", c.name)
				}
				names[c.name] = true
				data, err := prepare(c.steps, c.text)
				if err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				memory := uint64(maxMemory)
				if len(data) > 1<<16 || strings.Contains(c.steps, "repeat") {
					memory = maxMemoryLarge
				}
				strict := outcome(t, f, c.name, data, nil, memory)
				if strict == "read" {
					if f.has(c.name) {
						t.Errorf("%s: read without error", c.name)
					}
					continue // a damage that this format does not see
				}
				if place := regexp.MustCompile(`^` + regexp.QuoteMeta(f.file) + `[^:]*:[0-9]+(:[0-9]+)?: \S`); !place.MatchString(strict) {
					t.Errorf("%s: error without place: %s", c.name, strict)
				}
				repaired := outcome(t, f, c.name, data, new(taxonomy.Faults), memory)
				text := c.text
				if c.steps != "" {
					text = "steps: " + c.steps + "\n" + text
				}
				archive.Files = append(archive.Files,
					txtar.File{Name: c.name, Data: lines(text)},
					txtar.File{Name: c.name + ": error", Data: lines(strict)},
					txtar.File{Name: c.name + ": repaired", Data: lines(repaired)})
			}
			compare(t, f.name, archive)
		})
	}
}

// TestEnough counts what is in testdata.
func TestEnough(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ": error") {
				total++
			}
		}
	}
	if formats := len(slices.Concat(instances, texts, taxonomies)); len(files) != formats || total < 100 {
		t.Errorf("%d damaged files of %d formats; expected at least 100 of %d", total, len(files), formats)
	}
	t.Logf("%d damaged files", total)
}

// has reports whether the case is one of the format's own, which must give an error.
func (f *format) has(name string) bool {
	for _, c := range f.cases {
		if c.name == name {
			return true
		}
	}
	return false
}

// soundly reads the sound file, and what is no damage.
func soundly(t *testing.T, f *format) {
	t.Helper()
	for _, steps := range []string{"", "gzip", "zstd", "crlf", "bom", "bom, crlf, gzip"} {
		if f.archive {
			stream := strings.HasSuffix(f.file, ".tar") || strings.HasSuffix(f.file, ".npy")
			if strings.Contains(steps, "bom") || strings.Contains(steps, "crlf") || !stream && steps != "" {
				continue
			}
			steps = f.steps + ", " + steps
		}
		data, err := prepare(steps, f.sound)
		if err != nil {
			t.Fatal(err)
		}
		if got := outcome(t, f, "sound, "+steps, data, nil, maxMemory); got != "read" {
			t.Errorf("sound file, %q: %s", steps, got)
		}
	}
}

// outcome reads the file and says what came of it: "read", the error, or the faults that were
// repaired.
func outcome(t *testing.T, f *format, name string, data []byte, repair *taxonomy.Faults, memory uint64) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	done := make(chan string, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- fmt.Sprintf("panic: %v", r)
			}
		}()
		err := f.read(ctx, bytes.NewReader(data), f.file, repair)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			done <- "hangs"
		case err != nil:
			done <- err.Error()
		case repair == nil:
			done <- "read"
		default:
			done <- repair.String()
		}
	}()
	var result string
	select {
	case result = <-done:
	case <-time.After(2 * patience):
		t.Fatalf("%s: hangs, whatever its context says", name)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > memory {
		t.Errorf("%s: took %d MiB of memory in all, for a file of %d bytes", name, took>>20, len(data))
	}
	if result == "hangs" || strings.HasPrefix(result, "panic") {
		t.Errorf("%s: %s", name, result)
	}
	return result
}

// lines ends the text by a line break, as an archive has it.
func lines(text string) []byte {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return []byte(text)
}

// compare compares with the archive of the format, or writes it.
func compare(t *testing.T, name string, got *txtar.Archive) {
	t.Helper()
	file := filepath.Join("testdata", name+".txtar")
	if *update {
		if err := os.WriteFile(file, txtar.Format(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatalf("%v; go test -update writes it", err)
	}
	expected := make(map[string]string)
	for _, f := range want.Files {
		expected[f.Name] = string(f.Data)
	}
	for _, f := range got.Files {
		text, ok := expected[f.Name]
		delete(expected, f.Name)
		if !ok {
			t.Errorf("%s: not in %s; go test -update writes it", f.Name, file)
		} else if text != string(f.Data) {
			t.Errorf("%s:\n%s, want\n%s", f.Name, f.Data, text)
		}
	}
	for name := range expected {
		t.Errorf("%s: in %s and no damaged file any more; go test -update writes it anew", name, file)
	}
}
