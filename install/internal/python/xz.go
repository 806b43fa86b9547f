package python

import "context"

// xzScript compresses a file as xz. The preset is that of the command xz: larger ones need more
// memory and gain a thousandth.
const xzScript = `
import lzma, shutil, sys
with open(sys.argv[1], "rb") as plain, lzma.open(sys.argv[2], "wb", preset=6) as packed:
    shutil.copyfileobj(plain, packed, 1 << 20)
`

// Compress writes a file once more, compressed as xz, for which Go has nothing that is as good. The
// paths are absolute.
func (i Interpreter) Compress(ctx context.Context, from, to string) error {
	_, err := i.answer(ctx, nil, xzScript, from, to)
	return err
}
