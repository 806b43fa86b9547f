package cell

// These functions are not inlined into cells, since the compiler would then have to read the types
// in [Host].

// Print is the builtin function print.
//
//go:noinline
func Print(values ...any) { host().Builtin(values, false) }

// Println is the builtin function println.
//
//go:noinline
func Println(values ...any) { host().Builtin(values, true) }

// The functions of package fmt for the standard files, with the cell's own output and input. Their
// text keeps its order with displays, and belongs to the cell even if several run.

// FmtPrint is fmt.Print.
//
//go:noinline
func FmtPrint(a ...any) (n int, err error) { return host().Print(Plain, "", a) }

// FmtPrintf is fmt.Printf.
//
//go:noinline
func FmtPrintf(format string, a ...any) (n int, err error) { return host().Print(Formatted, format, a) }

// FmtPrintln is fmt.Println.
//
//go:noinline
func FmtPrintln(a ...any) (n int, err error) { return host().Print(Line, "", a) }

// FmtScan is fmt.Scan.
//
//go:noinline
func FmtScan(a ...any) (n int, err error) { return host().Scan(Plain, "", a) }

// FmtScanf is fmt.Scanf.
//
//go:noinline
func FmtScanf(format string, a ...any) (n int, err error) { return host().Scan(Formatted, format, a) }

// FmtScanln is fmt.Scanln.
//
//go:noinline
func FmtScanln(a ...any) (n int, err error) { return host().Scan(Line, "", a) }
