package damaged

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"
)

// prepare makes a file of a text by steps, separated by commas:
//
//	unquote          every line is a Go string; they are joined
//	repeat N         N times
//	keep N, cut N    only the first N bytes, all but the last N
//	flip AT BIT      one bit of the byte at AT, from the end if AT is negative
//	insert AT HEX    bytes before the one at AT
//	crlf, cr         other line ends
//	bom, utf16, latin1
//	gzip, zstd, tar NAME, zip NAME
//	npy, safetensors a matrix X with four bytes in a row
func prepare(steps, text string) ([]byte, error) {
	data := []byte(text)
	for step := range strings.SplitSeq(steps, ",") {
		word, rest, _ := strings.Cut(strings.TrimSpace(step), " ")
		if word == "" {
			continue
		}
		var err error
		if data, err = prepareStep(data, word, rest); err != nil {
			return nil, fmt.Errorf("step %q: %w", step, err)
		}
	}
	return data, nil
}

func prepareStep(data []byte, word, rest string) ([]byte, error) {
	switch word {
	case "unquote":
		return unquote(data)
	case "repeat", "keep", "cut":
		n, err := strconv.Atoi(rest)
		if err != nil {
			return nil, err
		}
		switch word {
		case "repeat":
			return bytes.Repeat(data, n), nil
		case "keep":
			return data[:n], nil
		}
		return data[:len(data)-n], nil
	case "flip", "insert":
		at, what, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(at)
		if err != nil {
			return nil, err
		}
		if n < 0 {
			n += len(data)
		}
		return change(data, word, n, what)
	case "crlf":
		return bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")), nil
	case "cr":
		return bytes.ReplaceAll(data, []byte("\n"), []byte("\r")), nil
	case "bom":
		return append([]byte("\ufeff"), data...), nil
	case "utf16":
		out := []byte{0xff, 0xfe}
		for _, unit := range utf16.Encode([]rune(string(data))) {
			out = binary.LittleEndian.AppendUint16(out, unit)
		}
		return out, nil
	case "latin1":
		var out []byte
		for _, r := range string(data) {
			out = append(out, byte(r))
		}
		return out, nil
	}
	return pack(data, word, rest)
}

func unquote(data []byte) ([]byte, error) {
	var out []byte
	for line := range strings.Lines(string(data)) {
		part, err := strconv.Unquote(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		out = append(out, part...)
	}
	return out, nil
}

func change(data []byte, word string, at int, what string) ([]byte, error) {
	data = bytes.Clone(data)
	if word == "flip" {
		bit, err := strconv.Atoi(what)
		if err != nil {
			return nil, err
		}
		data[at] ^= 1 << bit
		return data, nil
	}
	in, err := hex.DecodeString(what)
	if err != nil {
		return nil, err
	}
	return append(data[:at:at], append(in, data[at:]...)...), nil
}

func pack(data []byte, word, name string) ([]byte, error) {
	var out bytes.Buffer
	switch word {
	case "gzip":
		w := gzip.NewWriter(&out)
		if _, err := w.Write(data); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
	case "zstd":
		w, err := zstd.NewWriter(&out)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(data); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
	case "tar":
		w := tar.NewWriter(&out)
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data))}); err != nil {
			return nil, err
		}
		if _, err := w.Write(data); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
	case "zip":
		w := zip.NewWriter(&out)
		in, err := w.Create(name)
		if err != nil {
			return nil, err
		}
		if _, err := in.Write(data); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
	case "npy":
		header := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d, 4), }\n", len(data)/4)
		fmt.Fprintf(&out, "\x93NUMPY\x01\x00%c\x00%s%s", len(header), header, data)
	case "safetensors":
		header := fmt.Sprintf(`{"X":{"dtype":"U8","shape":[%d,4],"data_offsets":[0,%d]}}`, len(data)/4, len(data))
		fmt.Fprintf(&out, "%c\x00\x00\x00\x00\x00\x00\x00%s%s", len(header), header, data)
	default:
		return nil, fmt.Errorf("no such step")
	}
	return out.Bytes(), nil
}
