package cell

// Caught is deferred in goroutines of the user's, before anything else: a panic of one is an error
// of the cell that started it, and does not end the process. While that cell runs, it fails with
// the panic; after that, what Go would have printed goes to its standard error.
func Caught() {
	if r := recover(); r != nil {
		host().Caught(r)
	}
}

// Guard returns f for code that calls it in a goroutine which is not started by the cell, such as
// that of a timer: the goroutine belongs to the cell meanwhile, and a panic is treated as Caught
// does.
func Guard(f func()) func() {
	if f == nil {
		return nil
	}
	return host().Guard(f)
}

// Exit is os.Exit: it ends the cell, and no deferred call is made.
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
