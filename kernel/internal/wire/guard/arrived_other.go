//go:build unix && !linux

package guard

// bytesToRead is the ioctl(2) request for the number of bytes that can be read, FIONREAD.
const bytesToRead = 0x4004667f
