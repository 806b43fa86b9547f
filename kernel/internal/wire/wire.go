// Package wire speaks the Jupyter messaging protocol, version 5.5
// (https://jupyter-client.readthedocs.io/en/latest/messaging.html): the connection file, signed
// messages with typed contents, and a kernel's five channels.
//
// It knows the protocol and not the language. Package session handles requests, and a [Transport]
// carries frames: package zmq with sockets, package inproc with function calls. Package guard
// protects sockets from their peers.
package wire

// Version is the version of the protocol that messages announce.
const Version = "5.5"

// A Channel is one of the channels between a kernel and its clients.
type Channel string

// The channels of a kernel.
const (
	Shell        Channel = "shell"
	Control      Channel = "control"
	Stdin        Channel = "stdin"
	IOPubChannel Channel = "iopub"
	Heartbeat    Channel = "hb"
)
