//go:build unix && !linux

package guard

// bytesToRead is the request by which ioctl(2) tells how many bytes can be read, FIONREAD.
const bytesToRead = 0x4004667f
