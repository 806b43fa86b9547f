// Package memory refuses work that cannot have room in the memory of the machine, before anything
// is allocated, and tells of work that takes much of it.
package memory

import (
	"context"
	"fmt"
	"strings"

	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/internal/machine"
)

// Machine is what the machine has, in bytes, 0 where it is not known; tests set another.
var Machine = machine.Memory

// much is from how many bytes on one is told what work takes.
const much = 2e9

// A Need is what work is going to take, in bytes.
type Need struct {
	What   string // takes it, in the plural, such as "the weights of 7 nodes"
	Least  int64
	About  int64  // at the end of the work, not below Least
	Held   int64  // by other data of the same work
	Advice string // where there is no room for Least beside Held
}

// Check returns an error where there is no room for the least that is needed, and tells the watcher
// of ctx (package progress) of much memory. The caller puts its package's name before the error.
func Check(ctx context.Context, n Need) error {
	has := Machine()
	if has > 0 && n.Least > has-n.Held {
		beside := ""
		if n.Held > 0 {
			beside = fmt.Sprintf(" in addition to the %s of their data", gigabytes(n.Held))
		}
		return fmt.Errorf("%s take at least %s%s, and the machine has %s; %s", n.What, gigabytes(n.Least), beside, gigabytes(has), n.Advice)
	}
	if n.About >= much {
		text := fmt.Sprintf("%s%s will take about %s of memory", strings.ToUpper(n.What[:1]), n.What[1:], gigabytes(n.About))
		if has > 0 {
			text += fmt.Sprintf("; the machine has %s", gigabytes(has))
		}
		progress.Note(ctx, text+".")
	}
	return nil
}

func gigabytes(n int64) string { return fmt.Sprintf("%.3g GB", float64(n)/1e9) }
