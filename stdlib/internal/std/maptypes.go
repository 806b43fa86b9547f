package std

import (
	"bufio"
	"encoding"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"reflect"
)

// MapTypes returns, in the form that yaegi takes, the functions that look behind an argument of
// type any for one of some interfaces, with these interfaces, and the wrappers of interfaces whose
// values compiled code asks for more methods than the interface has.
func MapTypes() map[reflect.Value][]reflect.Type {
	m := map[reflect.Value][]reflect.Type{}
	add := func(interfaces []reflect.Type, functions ...any) {
		for _, f := range functions {
			m[reflect.ValueOf(f)] = interfaces
		}
	}
	add([]reflect.Type{reflect.TypeFor[fmt.Formatter](), reflect.TypeFor[fmt.Stringer]()},
		fmt.Append, fmt.Appendf, fmt.Appendln, fmt.Errorf,
		fmtFprint, fmtFprintf, fmtFprintln, fmt.Print, fmt.Printf, fmt.Println,
		fmt.Sprint, fmt.Sprintf, fmt.Sprintln,
		log.Panic, log.Panicf, log.Panicln, log.Print, log.Printf, log.Println,
		logFatal, logFatalf, logFatalln)
	add([]reflect.Type{reflect.TypeFor[fmt.Scanner]()},
		fmt.Fscan, fmt.Fscanf, fmt.Fscanln, fmt.Scan, fmt.Scanf, fmt.Scanln, fmt.Sscan, fmt.Sscanf, fmt.Sscanln)
	add([]reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()},
		json.Marshal, json.MarshalIndent)
	add([]reflect.Type{reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]()}, json.Unmarshal)
	add([]reflect.Type{reflect.TypeFor[xml.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()},
		xml.Marshal, xml.MarshalIndent)
	add([]reflect.Type{reflect.TypeFor[xml.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]()}, xml.Unmarshal)

	m[reflect.ValueOf((*_net_http_ResponseWriter)(nil))] = []reflect.Type{reflect.TypeFor[hijackableResponseWriter]()}
	m[reflect.ValueOf((*_io_Reader)(nil))] = []reflect.Type{reflect.TypeFor[readerWriterTo]()}
	m[reflect.ValueOf((*_io_Writer)(nil))] = []reflect.Type{reflect.TypeFor[writerReaderFrom]()}
	return m
}

// hijackableResponseWriter wraps what net/http asks for http.Hijacker.
type hijackableResponseWriter struct {
	IValue       any
	WHeader      func() http.Header
	WWrite       func([]byte) (int, error)
	WWriteHeader func(int)
	WHijack      func() (net.Conn, *bufio.ReadWriter, error)
}

func (w hijackableResponseWriter) Header() http.Header         { return w.WHeader() }
func (w hijackableResponseWriter) Write(b []byte) (int, error) { return w.WWrite(b) }
func (w hijackableResponseWriter) WriteHeader(status int)      { w.WWriteHeader(status) }
func (w hijackableResponseWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return w.WHijack()
}

// readerWriterTo wraps what io.Copy asks for io.WriterTo.
type readerWriterTo struct {
	IValue   any
	WRead    func([]byte) (int, error)
	WWriteTo func(io.Writer) (int64, error)
}

func (w readerWriterTo) Read(b []byte) (int, error)           { return w.WRead(b) }
func (w readerWriterTo) WriteTo(out io.Writer) (int64, error) { return w.WWriteTo(out) }

// writerReaderFrom wraps what io.Copy asks for io.ReaderFrom.
type writerReaderFrom struct {
	IValue    any
	WWrite    func([]byte) (int, error)
	WReadFrom func(io.Reader) (int64, error)
}

func (w writerReaderFrom) Write(b []byte) (int, error)          { return w.WWrite(b) }
func (w writerReaderFrom) ReadFrom(in io.Reader) (int64, error) { return w.WReadFrom(in) }
