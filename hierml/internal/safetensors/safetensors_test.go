package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/internal/safetensors"
)

func written(t testing.TB, metadata map[string]string, tensors ...safetensors.Tensor) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := safetensors.Write(&b, metadata, tensors); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(b []byte) (*safetensors.File, error) {
	return safetensors.Open(bytes.NewReader(b), int64(len(b)))
}

func sample(t testing.TB) []byte {
	return written(t, map[string]string{"format": "test", "quoted": `"crc32c":"12345678"`},
		safetensors.New("bytes", []uint8("hello"), 5),
		safetensors.New("matrix", []float32{1, -2.5, 3, 4, 5, 6}, 2, 3),
		safetensors.New("nothing", []uint16{}, 0, 7),
		safetensors.New("scalar", []float64{math.Pi}),
		safetensors.Floats("half", safetensors.F16, slices.Values([][]float64{{0.5, 1}, {-2}}), 3),
		safetensors.Floats("wide", safetensors.F64, slices.Values([][]float64{{0.25}}), 1),
		safetensors.New("signed", []int32{-1, 5}, 2),
	)
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	b := sample(t)
	n := binary.LittleEndian.Uint64(b)
	if n%8 != 0 || b[8] != '{' {
		t.Errorf("header of %d bytes begins with %q", n, b[8])
	}
	f, err := open(b)
	if err != nil {
		t.Fatal(err)
	}
	if f.Metadata["format"] != "test" || f.Metadata["quoted"] != `"crc32c":"12345678"` {
		t.Errorf("metadata %v", f.Metadata)
	}
	for name, i := range f.Tensors {
		if at := i.Offsets[0]; at%int64(i.Type.Size()) != 0 {
			t.Errorf("tensor %q of type %s is at %d", name, i.Type, at)
		}
	}
	if got, err := safetensors.Read[uint8](f, "bytes"); string(got) != "hello" || err != nil {
		t.Error(got, err)
	}
	if got, err := safetensors.Read[float32](f, "matrix"); !slices.Equal(got, []float32{1, -2.5, 3, 4, 5, 6}) || err != nil {
		t.Error(got, err)
	}
	if s := f.Tensors["matrix"].Shape; !slices.Equal(s, []int{2, 3}) {
		t.Errorf("shape %v", s)
	}
	if got, err := safetensors.Read[float64](f, "scalar"); !slices.Equal(got, []float64{math.Pi}) || err != nil {
		t.Error(got, err)
	}
	if got, err := safetensors.Read[uint16](f, "nothing"); len(got) != 0 || err != nil {
		t.Error(got, err)
	}
	for name, want := range map[string][]float64{"half": {0.5, 1, -2}, "wide": {0.25}, "matrix": {1, -2.5, 3, 4, 5, 6}} {
		var got []float64
		if err := f.Floats(name, func(at int, v []float64) { got = append(got[:at], v...) }); !slices.Equal(got, want) || err != nil {
			t.Error(name, got, err)
		}
	}
	if got, err := safetensors.Indices[int](f, "bytes", 200); !slices.Equal(got, []int{'h', 'e', 'l', 'l', 'o'}) || err != nil {
		t.Error(got, err)
	}
	for name, err := range map[string]error{
		"too large":  second(safetensors.Indices[int](f, "bytes", 110)),
		"negative":   second(safetensors.Indices[int](f, "signed", 10)),
		"not whole":  second(safetensors.Indices[int](f, "matrix", 10)),
		"absent":     second(safetensors.Indices[int](f, "absent", 10)),
		"other type": second(safetensors.Read[float64](f, "matrix")),
		"no floats":  f.Floats("bytes", func(int, []float64) {}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// A large tensor is converted in several parts.
func TestLargeTensors(t *testing.T) {
	values := make([]uint32, 100_000)
	floats := make([]float64, len(values))
	for i := range values {
		values[i], floats[i] = uint32(i*7), float64(i)
	}
	f, err := open(written(t, nil, safetensors.New("a", values, len(values)), safetensors.New("b", floats, 1000, 100)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := safetensors.Read[uint32](f, "a"); !slices.Equal(got, values) || err != nil {
		t.Error(err)
	}
	got := make([]float64, len(floats))
	if err := f.Floats("b", func(at int, v []float64) { copy(got[at:], v) }); !slices.Equal(got, floats) || err != nil {
		t.Error(err)
	}
}

func floats(t safetensors.Type, values ...float64) safetensors.Tensor {
	return safetensors.Floats("a", t, slices.Values([][]float64{values}), len(values))
}

func TestWriteRefuses(t *testing.T) {
	full := errors.New("disk full")
	for _, c := range []struct {
		name    string
		tensors []safetensors.Tensor
		says    string
	}{
		{"twice", []safetensors.Tensor{safetensors.New("a", []uint8{1}, 1), safetensors.New("a", []uint8{1}, 1)}, `called "a"`},
		{"reserved", []safetensors.Tensor{safetensors.New("__metadata__", []uint8{1}, 1)}, "called"},
		{"too few", []safetensors.Tensor{safetensors.New("a", []uint8{1}, 2)}, "has 1 bytes"},
		{"negative", []safetensors.Tensor{safetensors.New("a", []uint8{1}, -1)}, "not be negative"},
		{"type", []safetensors.Tensor{{Name: "a", Type: "F8_E4M3"}}, `type is "F8_E4M3"`},
		{"not a number", []safetensors.Tensor{floats(safetensors.F32, 1, math.NaN())}, "value 1 is NaN"},
		{"infinite", []safetensors.Tensor{floats(safetensors.F64, math.Inf(-1))}, "value 0 is -Inf"},
		{"too large for a float32", []safetensors.Tensor{floats(safetensors.F32, 1, 2, 1e39)}, "value 2 is 1e+39, which is +Inf as F32"},
		{"too large for a half", []safetensors.Tensor{floats(safetensors.F16, 65520)}, "+Inf as F16"},
		{"error", []safetensors.Tensor{{Name: "a", Type: "U8", Write: func(io.Writer) error { return full }}}, "disk full"},
	} {
		if err := safetensors.Write(io.Discard, nil, c.tensors); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v; want one that says %q", c.name, err, c.says)
		}
	}
}

// file returns the bytes of a file with the given header and data.
func file(header, data string) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header+data...)
}

func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"empty":           {nil, "0 bytes"},
		"another format":  {[]byte("PK\x03\x04 something that is long enough"), "another format"},
		"huge header":     {binary.LittleEndian.AppendUint64(nil, 1<<62), "a header of"},
		"negative header": {binary.LittleEndian.AppendUint64(nil, math.MaxUint64), "a header of"},
		"not JSON":        {file("hello!", ""), "not JSON"},
		"half JSON":       {file(`{"a":`, ""), "header"},
		"not UTF-8":       {file("{\"\xff\":1}", ""), "not JSON"},
		"two objects":     {file("{}{}", ""), "more than one"},
		"a list":          {file("[1]", ""), "not JSON"},
		"numbers":         {file(`{"__metadata__":{"a":1}}`, ""), "metadata"},
		"two metadata":    {file(`{"__metadata__":{},"__metadata__":{}}`, ""), "two objects"},
		"two tensors":     {file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, "xy"), "two tensors"},
		"no shape":        {file(`{"a":{"dtype":"U8","data_offsets":[0,1]}}`, "x"), "needs a dtype"},
		"one offset":      {file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}}`, "x"), "needs a dtype"},
		"three offsets":   {file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,2]}}`, "x"), "needs a dtype"},
		"type":            {file(`{"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}}`, "x"), `type is "F8_E4M3"`},
		"shape":           {file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, "xyzw"), "ask for 8"},
		"negative shape":  {file(`{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}}`, "x"), "not be negative"},
		"huge shape":      {file(`{"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,1]}}`, "x"), "too large"},
		"huge offsets":    {file(`{"a":{"dtype":"U8","shape":[9223372036854775807],"data_offsets":[0,9223372036854775807]}}`, "x"), "not complete"},
		"backwards":       {file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}}`, "x"), "not complete"},
		"hole":            {file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, "xy"), "begins at 1"},
		"overlap":         {file(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, "xyz"), "begins at 1"},
		"more":            {file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, "xy"), "end at byte 1 of 2"},
		"fraction":        {file(`{"a":{"dtype":"U8","shape":[1.5],"data_offsets":[0,1]}}`, "x"), "tensor"},
		"check":           {file(`{"__metadata__":{"crc32c":"00000000"}}`, ""), "damaged"},
		"escaped check":   {file(`{"__metadata__":{"crc32\u0063":"00000000"}}`, ""), "not in the form"},
	} {
		if _, err := open(c.file); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v; want one that says %q", name, err, c.says)
		}
	}
	if _, err := open(file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, "x")); err != nil {
		t.Errorf("a file without check sum: %v", err)
	}
}

func TestDamageIsSeen(t *testing.T) {
	b := sample(t)
	name := bytes.Index(b, []byte("crc32c"))
	for i := range b {
		damaged := slices.Clone(b)
		damaged[i] ^= 0x10
		// Under another name the check sum is metadata like any other.
		if _, err := open(damaged); err == nil && (i < name || i >= name+len("crc32c")) {
			t.Errorf("no error with byte %d changed", i)
		}
		if _, err := open(b[:i]); err == nil {
			t.Errorf("no error with %d of %d bytes", i, len(b))
		}
	}
	if _, err := open(append(slices.Clone(b), 0)); err == nil {
		t.Error("no error with a byte more")
	}
}

func TestNotANumberIsAnError(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		f, err := open(written(t, nil, safetensors.New("a", []float64{1, v}, 2)))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Floats("a", func(int, []float64) {}); err == nil || !strings.Contains(err.Error(), "value 1 is") {
			t.Errorf("%v: error %v", v, err)
		}
	}
}

func TestHalf(t *testing.T) {
	for h := range 1 << 16 {
		v := safetensors.FromHalf(uint16(h))
		if v != v {
			continue
		}
		if got := safetensors.ToHalf(v); got != uint16(h) {
			t.Fatalf("%#04x is %v and back %#04x", h, v, got)
		}
	}
	for _, c := range []struct {
		v    float32
		want uint16
	}{
		{0, 0}, {1, 0x3c00}, {-2, 0xc000}, {65504, 0x7bff}, {65519.9, 0x7bff}, {65520, 0x7c00}, {1e10, 0x7c00},
		{float32(math.Inf(-1)), 0xfc00}, {0x1p-24, 1}, {0x1p-25, 0}, {0x1.8p-25, 1}, {0x1p-14, 0x400}, {1e-30, 0},
		{1 + 0x1p-11, 0x3c00}, {1 + 0x1.8p-11, 0x3c01}, {1 + 0x3p-11, 0x3c02},
	} {
		if got := safetensors.ToHalf(c.v); got != c.want {
			t.Errorf("%v is %#04x; want %#04x", c.v, got, c.want)
		}
	}
	if h := safetensors.ToHalf(float32(math.NaN())); safetensors.FromHalf(h) == safetensors.FromHalf(h) {
		t.Errorf("NaN is %#04x", h)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(sample(f))
	f.Add(file(`{"a":{"dtype":"F32","shape":[0,9223372036854775807,9223372036854775807],"data_offsets":[0,0]}}`, ""))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := open(b)
		if err != nil {
			return
		}
		for name, i := range file.Tensors {
			n := 0
			if err := file.Floats(name, func(_ int, v []float64) { n += len(v) }); err == nil && n != i.Len() {
				t.Errorf("%d of %d values", n, i.Len())
			}
			if v, err := safetensors.Indices[int32](file, name, 1000); err == nil && len(v) != i.Len() {
				t.Errorf("%d of %d values", len(v), i.Len())
			}
			if _, err := safetensors.Read[float64](file, name); err == nil && i.Type != safetensors.F64 {
				t.Errorf("type %s read as F64", i.Type)
			}
		}
	})
}

func ExampleWrite() {
	var b bytes.Buffer
	err := safetensors.Write(&b, map[string]string{"made by": "an example"}, []safetensors.Tensor{
		safetensors.New("weights", []float32{1, 2, 3, 4}, 2, 2),
	})
	fmt.Println(err)
	f, err := safetensors.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	fmt.Println(f.Metadata["made by"], f.Tensors["weights"].Shape, err)
	// Output:
	// <nil>
	// an example [2 2] <nil>
}
