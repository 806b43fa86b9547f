package columnar

import "encoding/binary"

// lz4Block decompresses a block of LZ4, appending it to dst, which must not become longer than
// limit. Earlier content of dst may be copied from.
func lz4Block(dst, src []byte, limit int) ([]byte, error) {
	bad := damaged("a block of LZ4 does not have the size that the file states")
	length := func(n int) (int, bool) { // of literals or a copy, which more bytes may lengthen
		for more := n == 15; more; {
			if len(src) == 0 || n > limit {
				return 0, false
			}
			n += int(src[0])
			more = src[0] == 255
			src = src[1:]
		}
		return n, true
	}
	for len(src) > 0 {
		token := src[0]
		src = src[1:]
		n, ok := length(int(token >> 4))
		if !ok || n > len(src) || n > limit-len(dst) {
			return nil, bad
		}
		dst, src = append(dst, src[:n]...), src[n:]
		if len(src) == 0 {
			break // the last sequence has literals only
		}
		if len(src) < 2 {
			return nil, bad
		}
		back := int(binary.LittleEndian.Uint16(src))
		src = src[2:]
		n, ok = length(int(token & 15))
		n += 4
		if !ok || back == 0 || back > len(dst) || n > limit-len(dst) {
			return nil, bad
		}
		for from := len(dst) - back; n > 0; {
			k := min(n, len(dst)-from)
			dst = append(dst, dst[from:from+k]...)
			from, n = from+k, n-k
		}
	}
	return dst, nil
}

// lz4Frame decompresses a frame of LZ4 into size bytes. It ignores the checksums, as the bytes are
// checked where they are used.
func lz4Frame(src []byte, size int) ([]byte, error) {
	bad := damaged("a buffer is not the frame of LZ4 that the file states")
	if len(src) < 7 || binary.LittleEndian.Uint32(src) != 0x184D2204 {
		return nil, bad
	}
	flags := src[4]
	header := 7
	if flags&8 != 0 { // the size of the content
		header += 8
	}
	if flags&1 != 0 { // a dictionary
		return nil, bad
	}
	if len(src) < header {
		return nil, bad
	}
	src = src[header:]
	dst := make([]byte, 0, min(size, 255*len(src)))
	for {
		if len(src) < 4 {
			return nil, bad
		}
		n := binary.LittleEndian.Uint32(src)
		src = src[4:]
		if n == 0 {
			break
		}
		stored := n>>31 == 1
		n &= 1<<31 - 1
		if int64(n) > int64(len(src)) {
			return nil, bad
		}
		block := src[:n]
		src = src[n:]
		if flags&16 != 0 { // a checksum of the block
			src = src[min(4, len(src)):]
		}
		if stored {
			if len(block) > size-len(dst) {
				return nil, bad
			}
			dst = append(dst, block...)
			continue
		}
		var err error
		if dst, err = lz4Block(dst, block, size); err != nil {
			return nil, err
		}
	}
	if len(dst) != size {
		return nil, bad
	}
	return dst, nil
}
