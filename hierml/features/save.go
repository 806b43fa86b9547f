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

// saveJSON writes the value to a file that appears under its name when it is complete: until then
// an older one stays.
func saveJSON(path string, value json.Marshaler) error {
	if path == "" {
		return fmt.Errorf("features: save: no file is named")
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

// decode sets a value to what is in the data. A name that it has not is an error: a setting of a
// newer version of this package is not left out in silence.
func decode(data []byte, value any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(value)
}

// header says what a saved value is.
type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// check reports a file of another kind, or one that a newer version of this package wrote.
func (h header) check(want header) error {
	if h.Format != want.Format {
		return fmt.Errorf("the format is %s; expected %s", textfile.Quote(h.Format), textfile.Quote(want.Format))
	}
	if h.Version < 1 || h.Version > want.Version {
		return fmt.Errorf("version %d of %s; this program reads up to version %d", h.Version, h.Format, want.Version)
	}
	return nil
}
