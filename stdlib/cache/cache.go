// Package cache keeps values for longer than the kernel lives: what took an hour to compute is
// there after a restart.
//
//	model, err := cache.Cache("model", func() (*classifier.Model, error) {
//		return svm.Flat{C: 1}.Fit(nb.Context(), train)
//	})
//
// A value is kept under its key and the folder in which the cells run, in the user's folder for
// such files, which XDG_CACHE_HOME names. The key stands for all that the value depends on: who
// changes the data or the settings names them in the key, or calls Reset.
//
// Values are what reading a file makes of it, and nothing in a file is run. Kept are numbers,
// strings, slices, arrays, maps, pointers and structs of them whose fields are exported, and types
// that encode themselves: by encoding.BinaryMarshaler, as models, pipelines, matrices of gonum and
// times do, by gob.GobEncoder, or by json.Marshaler, as vectorizers do. Pointers come back as
// pointers to copies. A file that is damaged, or that is of another type, is as none.
package cache

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"

	"github.com/hierml/notebook/internal/lock"
	"github.com/hierml/notebook/internal/replace"
	"github.com/hierml/notebook/stdlib/host"
)

// Cache returns the value that is kept under a key. If there is none, it calls f and keeps what
// that returns without an error. Of two kernels that do so at a time, one computes and the other
// waits. Where a value cannot be kept, the error says so, and the value is what f has returned.
func Cache[T any](key string, f func() (T, error)) (T, error) {
	var value T
	err := Keep(key, &value, func() (err error) {
		value, err = f()
		return err
	})
	return value, err
}

// Keep is Cache for a variable that value points to: it gets what is kept under the key, or f sets
// it.
func Keep(key string, value any, f func() error) error {
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return fmt.Errorf("cache: %T is no pointer to a variable", value)
	}
	if runtime.GOOS == "js" {
		return f() // a browser keeps nothing
	}
	v = v.Elem()
	form, err := describe(v.Type())
	if err != nil {
		return err
	}
	path, err := place(key)
	if err != nil {
		return err
	}
	if load(path, key, form, v) {
		return nil
	}
	ctx := host.Current().Context()
	held, err := lock.Wait(ctx, path+".lock", nil)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return fmt.Errorf("cache: %w", err)
	}
	defer func() { _ = held.Release() }() // it was not written to
	// Another kernel may have computed it meanwhile.
	if load(path, key, form, v) {
		return nil
	}
	if err := f(); err != nil {
		return err
	}
	return save(path, key, form, v)
}

// Reset forgets the value that is kept under a key. It is no error if there is none.
func Reset(key string) error {
	if runtime.GOOS == "js" {
		return nil
	}
	path, err := place(key)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}

// place returns the file for a key of this folder, whose folder it makes.
func place(key string) (string, error) {
	user, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("cache: no folder for values: %w", err)
	}
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("cache: %w", err)
	}
	folder := filepath.Join(user, "hierml", "values")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("cache: %w", err)
	}
	return filepath.Join(folder, fmt.Sprintf("%x", sha256.Sum256([]byte(here+"\x00"+key)))), nil
}

// magic begins the files.
const magic = "hierml value 1\n"

// header is what a file has before its value: what it is a value for, and the sum of the value.
func header(key, form string, value []byte) []byte {
	return fmt.Appendf(nil, "%s%d %d %d\n%s%s%x", magic, len(key), len(form), len(value), key, form, sha256.Sum256(value))
}

// load sets a variable to the value of a file, and reports whether it is one for the key and the
// variable's type.
func load(path, key, form string, v reflect.Value) bool {
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	if !bytes.HasPrefix(data, []byte(magic)) {
		return false
	}
	var k, f, n int
	if _, err := fmt.Sscanf(string(data[len(magic):min(len(data), len(magic)+80)]), "%d %d %d\n", &k, &f, &n); err != nil || k != len(key) || f != len(form) || n < 0 || n > len(data) {
		return false
	}
	value := data[len(data)-n:]
	if !bytes.Equal(data[:len(data)-n], header(key, form, value)) {
		return false
	}
	loaded := reflect.New(v.Type()).Elem()
	if err := decode(value, loaded); err != nil {
		return false
	}
	v.Set(loaded)
	return true
}

// save writes a variable's value into a file.
func save(path, key, form string, v reflect.Value) error {
	value, err := encode(v)
	if err != nil {
		return err
	}
	if err := replace.Content(path, append(header(key, form, value), value...)); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}
