package cell

// Caught is the first deferred call in goroutines of user code. It turns a panic into an error of
// the cell that started the goroutine, so that the process survives. While that cell runs, it fails
// with the panic; later, Go's text about the panic goes to the cell's standard error.
func Caught() {
	if r := recover(); r != nil {
		host().Caught(r)
	}
}

// Guard returns a function that calls f, for code that calls it in a goroutine that the cell did
// not start, such as that of a timer. The goroutine belongs to the cell meanwhile, and panics are
// handled as by Caught.
func Guard(f func()) func() {
	if f == nil {
		return nil
	}
	return host().Guard(f)
}

// Exit is os.Exit: it ends the cell, without deferred calls.
func Exit(status int) { host().Exit(status) }

// Fatal is log.Fatal.
func Fatal(v ...any) { host().Fatal(nil, Plain, "", v, 1) }

// Fatalf is log.Fatalf.
func Fatalf(format string, v ...any) { host().Fatal(nil, Formatted, format, v, 1) }

// Fatalln is log.Fatalln.
func Fatalln(v ...any) { host().Fatal(nil, Line, "", v, 1) }

// LoggerFatal is l.Fatal.
func LoggerFatal(l Logger, v ...any) { host().Fatal(l, Plain, "", v, 1) }

// LoggerFatalf is l.Fatalf.
func LoggerFatalf(l Logger, format string, v ...any) { host().Fatal(l, Formatted, format, v, 1) }

// LoggerFatalln is l.Fatalln.
func LoggerFatalln(l Logger, v ...any) { host().Fatal(l, Line, "", v, 1) }
