package features

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/internal/replace"
)

// saveJSON writes the value to a file. It replaces an older file only when the new one is complete.
func saveJSON(path string, value json.Marshaler) error {
	if path == "" {
		return fmt.Errorf("features: save: the file name is empty")
	}
	data, err := value.MarshalJSON()
	if err != nil {
		return err
	}
	if err := replace.Content(path, append(data, '\n')); err != nil {
		return fmt.Errorf("features: save: %w", err)
	}
	return nil
}

// loadJSON reads a file that saveJSON wrote.
func loadJSON(path string, value json.Unmarshaler) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("features: load: %w", err)
	}
	data, err := io.ReadAll(file)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("features: load %s: %w", path, err)
	}
	if err := json.Unmarshal(data, value); err != nil {
		return fmt.Errorf("features: load %s: %w", path, err)
	}
	return nil
}

// decode sets a value from the data. An unknown name is an error, so that a setting of a newer
// version of this package is not silently ignored.
func decode(data []byte, value any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(value)
}

// header has the format and version of a saved value.
type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// check returns an error for a file of another kind or of a newer version of this package.
func (h header) check(want header) error {
	if h.Format != want.Format {
		return fmt.Errorf("the format is %s; expected %s", textfile.Quote(h.Format), textfile.Quote(want.Format))
	}
	if h.Version < 1 || h.Version > want.Version {
		return fmt.Errorf("version %d of %s; this program reads up to version %d", h.Version, h.Format, want.Version)
	}
	return nil
}
