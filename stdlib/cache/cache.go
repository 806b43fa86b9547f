// Package cache keeps values beyond the life of the kernel: a result that took an hour to compute
// is still available after a restart.
//
//	model, err := cache.Cache("model", func() (*classifier.Model, error) {
//		return svm.Flat{C: 1}.Fit(nb.Context(), train)
//	})
//
// A value is stored under its key and the working directory of the cells, in the user's cache
// folder (XDG_CACHE_HOME). The key stands for everything that the value depends on: if you change
// the data or the settings, change the key or call Reset.
//
// Reading a file only decodes data and runs no code from it. The package stores numbers, strings,
// slices, arrays, maps, pointers and structs of them with exported fields, and types that encode
// themselves: with encoding.BinaryMarshaler, as models, pipelines, matrices of gonum and times do,
// with gob.GobEncoder, or with json.Marshaler, as vectorizers do. Pointers come back as pointers to
// copies. A damaged file, or one of another type, counts as missing.
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

// Cache returns the value that is stored under a key. If there is none, it calls f and stores the
// result unless f returns an error. If two kernels do so at the same time, one computes and the
// other waits. If a value cannot be stored, Cache returns it with an error that says so.
func Cache[T any](key string, f func() (T, error)) (T, error) {
	var value T
	err := Keep(key, &value, func() (err error) {
		value, err = f()
		return err
	})
	return value, err
}

// Keep is Cache for the variable that value points to: it sets the variable to the value under the
// key, or f sets it.
func Keep(key string, value any, f func() error) error {
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return fmt.Errorf("cache: %T is not a pointer to a variable", value)
	}
	if runtime.GOOS == "js" {
		return f() // a browser stores nothing
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
	defer func() { _ = held.Release() }() // nothing was written to it
	// Another kernel may have computed it meanwhile.
	if load(path, key, form, v) {
		return nil
	}
	if err := f(); err != nil {
		return err
	}
	return save(path, key, form, v)
}

// Reset removes the value that is stored under a key. It is not an error if there is none.
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

// place returns the file for a key in this folder, and creates the file's folder.
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

// magic is the beginning of the files.
const magic = "hierml value 1\n"

// header is the beginning of a file before the value: the key, the type, and the checksum of the
// value.
func header(key, form string, value []byte) []byte {
	return fmt.Appendf(nil, "%s%d %d %d\n%s%s%x", magic, len(key), len(form), len(value), key, form, sha256.Sum256(value))
}

// load sets a variable to the value in a file, and reports whether the file fits the key and the
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
