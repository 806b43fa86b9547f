package features

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// enumName returns the name of a value of the named type; names has all names.
func enumName(kind string, value int, names []string) string {
	if value < 0 || value >= len(names) {
		return fmt.Sprintf("%s(%d)", kind, value)
	}
	return names[value]
}

func marshalEnum(kind string, value int, names []string) ([]byte, error) {
	if value < 0 || value >= len(names) {
		return nil, fmt.Errorf("features: %s is %d; it must be 0 to %d: %s", kind, value, len(names)-1, strings.Join(names, ", "))
	}
	return []byte(names[value]), nil
}

func unmarshalEnum(kind string, value *int, names []string, text []byte) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		return fmt.Errorf("features: %s is %s; it must be one of: %s", kind, textfile.Quote(string(text)), strings.Join(names, ", "))
	}
	*value = i
	return nil
}
