package guard

import "golang.org/x/sys/unix"

// bytesToRead is the ioctl(2) request for the number of bytes that can be read.
const bytesToRead = unix.TIOCINQ
