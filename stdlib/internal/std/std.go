// Package std holds the symbol tables, export data and documentation of the standard library.
package std

import (
	"errors"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/hierml/notebook/stdlib/internal/table"
)

// added lists the tables of what releases of Go after that of go.mod have, up to the one that
// builds the program.
var added []*table.Package

// Extended reports whether the program is built by a later release of Go than that of go.mod.
func Extended() bool { return len(added) > 0 }

// All returns the tables; those that say what a package has in a later release follow its first.
func All() []*table.Package { return slices.Concat(Packages, Platform, added) }

// Exit is the panic by which os.Exit and log.Fatal end a cell instead of the process: its value is
// the exit status.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

func exit(code int) { panic(Exit(code)) }

func logFatal(v ...any) {
	log.Print(v...)
	exit(1)
}

func logFatalf(format string, v ...any) {
	log.Printf(format, v...)
	exit(1)
}

func logFatalln(v ...any) {
	log.Println(v...)
	exit(1)
}

// findProcess keeps a cell from killing the process that runs it.
func findProcess(pid int) (*os.Process, error) {
	if pid == os.Getpid() {
		return nil, errors.New("os: a cell cannot have a handle on its own process")
	}
	return os.FindProcess(pid)
}
