package values

import (
	"io"
	"reflect"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// Compiled code asks the values of some interfaces for more methods than these have: a plot.Plotter
// for its DataRange, an io.Writer for its WriteString. Wrappers of values that have them have them,
// too. The engine knows of which these are.

// A companion is a wrapper with more methods than its interface.
type companion struct {
	wrapper reflect.Type // of the form of those of the symbols
	methods reflect.Type // an interface with all of its methods
}

// companions are the wrappers of an interface that have more methods. Of those that a value has the
// methods for, the last is its wrapper.
var companions = map[reflect.Type][]companion{
	reflect.TypeFor[plot.Plotter](): {
		{reflect.TypeFor[_rangedPlotter](), reflect.TypeFor[rangedPlotter]()},
		{reflect.TypeFor[_boxedPlotter](), reflect.TypeFor[boxedPlotter]()},
		{reflect.TypeFor[_wholePlotter](), reflect.TypeFor[wholePlotter]()},
	},
	reflect.TypeFor[io.Reader](): {
		{reflect.TypeFor[_writingReader](), reflect.TypeFor[writingReader]()},
	},
	reflect.TypeFor[io.Writer](): {
		{reflect.TypeFor[_readingWriter](), reflect.TypeFor[readingWriter]()},
		{reflect.TypeFor[_stringWriter](), reflect.TypeFor[stringWriter]()},
		{reflect.TypeFor[_wholeWriter](), reflect.TypeFor[wholeWriter]()},
	},
}

// companion returns the wrapper for values of a type as a compiled interface, and its methods, if
// the values have more that compiled code asks for.
func (d *Description) companion(iface reflect.Type) (found companion, ok bool) {
	for _, c := range companions[iface] {
		if d.implements(c.methods) {
			found, ok = c, true
		}
	}
	return found, ok
}

type (
	rangedPlotter interface {
		plot.Plotter
		plot.DataRanger
	}
	boxedPlotter interface {
		plot.Plotter
		plot.GlyphBoxer
	}
	wholePlotter interface {
		rangedPlotter
		plot.GlyphBoxer
	}
	writingReader interface {
		io.Reader
		io.WriterTo
	}
	readingWriter interface {
		io.Writer
		io.ReaderFrom
	}
	stringWriter interface {
		io.Writer
		io.StringWriter
	}
	wholeWriter interface {
		readingWriter
		io.StringWriter
	}
)

type _rangedPlotter struct {
	IValue     any
	WPlot      func(draw.Canvas, *plot.Plot)
	WDataRange func() (xmin, xmax, ymin, ymax float64)
}

func (w _rangedPlotter) Plot(c draw.Canvas, p *plot.Plot)            { w.WPlot(c, p) }
func (w _rangedPlotter) DataRange() (xmin, xmax, ymin, ymax float64) { return w.WDataRange() }

type _boxedPlotter struct {
	IValue      any
	WPlot       func(draw.Canvas, *plot.Plot)
	WGlyphBoxes func(*plot.Plot) []plot.GlyphBox
}

func (w _boxedPlotter) Plot(c draw.Canvas, p *plot.Plot)        { w.WPlot(c, p) }
func (w _boxedPlotter) GlyphBoxes(p *plot.Plot) []plot.GlyphBox { return w.WGlyphBoxes(p) }

type _wholePlotter struct {
	IValue      any
	WPlot       func(draw.Canvas, *plot.Plot)
	WDataRange  func() (xmin, xmax, ymin, ymax float64)
	WGlyphBoxes func(*plot.Plot) []plot.GlyphBox
}

func (w _wholePlotter) Plot(c draw.Canvas, p *plot.Plot)            { w.WPlot(c, p) }
func (w _wholePlotter) DataRange() (xmin, xmax, ymin, ymax float64) { return w.WDataRange() }
func (w _wholePlotter) GlyphBoxes(p *plot.Plot) []plot.GlyphBox     { return w.WGlyphBoxes(p) }

type _writingReader struct {
	IValue   any
	WRead    func([]byte) (int, error)
	WWriteTo func(io.Writer) (int64, error)
}

func (r _writingReader) Read(p []byte) (int, error)         { return r.WRead(p) }
func (r _writingReader) WriteTo(w io.Writer) (int64, error) { return r.WWriteTo(w) }

type _readingWriter struct {
	IValue    any
	WWrite    func([]byte) (int, error)
	WReadFrom func(io.Reader) (int64, error)
}

func (w _readingWriter) Write(p []byte) (int, error)         { return w.WWrite(p) }
func (w _readingWriter) ReadFrom(r io.Reader) (int64, error) { return w.WReadFrom(r) }

type _stringWriter struct {
	IValue       any
	WWrite       func([]byte) (int, error)
	WWriteString func(string) (int, error)
}

func (w _stringWriter) Write(p []byte) (int, error)       { return w.WWrite(p) }
func (w _stringWriter) WriteString(s string) (int, error) { return w.WWriteString(s) }

type _wholeWriter struct {
	IValue       any
	WWrite       func([]byte) (int, error)
	WReadFrom    func(io.Reader) (int64, error)
	WWriteString func(string) (int, error)
}

func (w _wholeWriter) Write(p []byte) (int, error)         { return w.WWrite(p) }
func (w _wholeWriter) ReadFrom(r io.Reader) (int64, error) { return w.WReadFrom(r) }
func (w _wholeWriter) WriteString(s string) (int, error)   { return w.WWriteString(s) }
