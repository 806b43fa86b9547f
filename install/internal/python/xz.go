package python

import "context"

// xzScript compresses a file as xz. With this preset, whose window is of 32 MB, the program of
// 85 MB takes 1.7 % less than with that of the command xz, 6; a larger one gains 0.3 % more and
// takes half as long again.
const xzScript = `
import lzma, shutil, sys
with open(sys.argv[1], "rb") as plain, lzma.open(sys.argv[2], "wb", preset=8) as packed:
    shutil.copyfileobj(plain, packed, 1 << 20)
`

// Compress writes a file once more, compressed as xz, for which Go has nothing that is as good. The
// paths are absolute.
func (i Interpreter) Compress(ctx context.Context, from, to string) error {
	_, err := i.answer(ctx, nil, xzScript, from, to)
	return err
}
