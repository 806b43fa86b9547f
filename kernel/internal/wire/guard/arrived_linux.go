package guard

import "golang.org/x/sys/unix"

// bytesToRead is the request by which ioctl(2) tells how many bytes can be read.
const bytesToRead = unix.TIOCINQ
