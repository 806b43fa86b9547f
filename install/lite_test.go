package main

import (
	"bytes"
	"testing"
)

// TestWithLimit limits the memory of programs of WebAssembly, whose sections are an identifier, a
// length and that many bytes.
func TestWithLimit(t *testing.T) {
	const head = "\x00asm\x01\x00\x00\x00\x01\x02ab"
	for _, c := range []struct{ what, program, want string }{
		{"without a limit", head + "\x05\x04\x01\x00\x80\x02\x07\x01c", head + "\x05\x07\x01\x01\x80\x02\x80\x80\x02\x07\x01c"},
		{"with another limit", head + "\x05\x05\x01\x01\x10\x80\x04\x07\x01c", head + "\x05\x06\x01\x01\x10\x80\x80\x02\x07\x01c"},
		{"without a memory", head + "\x07\x01c", ""},
		{"with two memories", head + "\x05\x05\x02\x00\x10\x00\x10", ""},
		{"cut off", head + "\x05\x04\x01", ""},
	} {
		got, err := withLimit([]byte(c.program), memoryPages)
		if !bytes.Equal(got, []byte(c.want)) || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v; want %q", c.what, got, err, c.want)
		}
	}
}
