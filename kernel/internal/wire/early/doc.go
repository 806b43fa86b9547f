// Package early listens for front ends as soon as the process of a kernel exists. Go's run time and
// the packages of this program need 20 ms before main, and clients start to connect within a few
// milliseconds. A client using libzmq that finds no listener tries again only after 100 to 200 ms.
//
// Before Go's run time starts, C code opens the sockets that the connection file names, if that is
// the only argument of the command kernel, and for TCP on 127.0.0.1. In all other cases, and if
// something fails, package guard listens later, and reports errors.
package early
