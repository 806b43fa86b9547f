// Package early listens for front ends as soon as the process of a kernel exists. Go's runtime and
// the packages of this program need 20 ms before main, and clients start to connect within a few
// milliseconds. One of libzmq that finds nobody tries again only after 100 to 200 ms.
//
// Before Go's runtime starts, C code opens the sockets that the connection file names, if that is
// the only argument of the command kernel, and for TCP on 127.0.0.1. In all other cases, and where
// something fails, package guard listens later, and reports errors.
package early
