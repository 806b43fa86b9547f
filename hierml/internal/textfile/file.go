package textfile

import (
	"context"
	"fmt"
	"io"
	"os"
)

// ReadFile calls read with the content of the file, which ends with the context, and returns its
// error. That the file cannot be opened or closed is said in the name of the caller's package.
func ReadFile(ctx context.Context, caller, name string, read func(r io.Reader, name string) error) error {
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("%s: %w", caller, err)
	}
	err = read(WithContext(ctx, file), name)
	if closed := file.Close(); err == nil && closed != nil {
		return fmt.Errorf("%s: %w", caller, closed)
	}
	return err
}
