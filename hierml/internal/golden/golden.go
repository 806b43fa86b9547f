// Package golden reads the reference values that the library's tests compare with: one JSON file a
// family, described in README.md beside the files. It decodes what all families share, the cases
// and their taxonomies; the rest of a case is the test's to decode.
package golden

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Case is one case of a family.
type Case struct {
	ID  string
	raw json.RawMessage
}

// Decode stores the fields of the case in the struct that v points to, by their JSON names.
func (c Case) Decode(v any) error {
	if err := json.Unmarshal(c.raw, v); err != nil {
		return fmt.Errorf("golden: case %s: %w", c.ID, err)
	}
	return nil
}

// Dir returns the folder of the files: the value of HIERML_GOLDEN, or hierml/testdata/golden of the
// module that contains the working directory.
func Dir() (string, error) {
	if dir := os.Getenv("HIERML_GOLDEN"); dir != "" {
		return dir, nil
	}
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("golden: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil {
			return filepath.Join(dir, "hierml", "testdata", "golden"), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("golden: %w", err)
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("golden: no go.mod above %s; set HIERML_GOLDEN to the folder of the golden files", start)
		}
	}
}

// Read returns the cases of a family, in the order of its file.
func Read(family string) ([]Case, error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, family+".json")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("golden: %w", err)
	}
	var file struct {
		Family string
		Schema int
		Cases  []json.RawMessage
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("golden: %s: %w", path, err)
	}
	if file.Family != family || file.Schema != 1 {
		return nil, fmt.Errorf("golden: %s: family %q of schema %d; expected %q of schema 1", path, file.Family, file.Schema, family)
	}
	if len(file.Cases) == 0 {
		return nil, fmt.Errorf("golden: %s: no cases", path)
	}
	cases := make([]Case, len(file.Cases))
	for i, raw := range file.Cases {
		var id struct{ ID string }
		if err := json.Unmarshal(raw, &id); err != nil {
			return nil, fmt.Errorf("golden: %s: case %d: %w", path, i, err)
		}
		cases[i] = Case{ID: id.ID, raw: raw}
	}
	return cases, nil
}

// Taxonomy is a taxonomy as the files write it.
type Taxonomy struct {
	N     int
	Edges [][2]int
}

// New returns the taxonomy, whose nodes are named by their ids in decimal.
func (g Taxonomy) New() (*taxonomy.Taxonomy, error) {
	names := make([]string, g.N)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return taxonomy.New(names, g.Edges)
}
