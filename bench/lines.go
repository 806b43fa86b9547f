package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// readLines returns the values of a file of JSON lines, none if it is not there.
func readLines[T any](name string) ([]T, error) {
	text, err := os.ReadFile(name)
	if name == "" || errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var values []T
	for lines := json.NewDecoder(bytes.NewReader(text)); lines.More(); {
		var v T
		if err := lines.Decode(&v); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		values = append(values, v)
	}
	return values, nil
}

// addLine adds a value to a file of JSON lines, unless it has no name.
func addLine(name string, v any) error {
	if name == "" {
		return nil
	}
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := file.Write(append(line, '\n')); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
