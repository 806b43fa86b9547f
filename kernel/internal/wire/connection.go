package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
)

// ConnectionInfo is the content of a connection file: where a kernel listens, and the key that
// signs its messages.
type ConnectionInfo struct {
	Transport string `json:"transport"` // "tcp" (or empty) or "ipc"
	// address, or for ipc the prefix of the sockets' paths
	IP            string `json:"ip"`
	ShellPort     int    `json:"shell_port"`
	IOPubPort     int    `json:"iopub_port"`
	StdinPort     int    `json:"stdin_port"`
	ControlPort   int    `json:"control_port"`
	HeartbeatPort int    `json:"hb_port"`
	// empty, allowed only if no other machine can connect: messages are not signed
	Key             string `json:"key"`
	SignatureScheme string `json:"signature_scheme"`
	KernelName      string `json:"kernel_name"`
	CurvePublicKey  string `json:"curve_publickey"`
	CurveSecretKey  string `json:"curve_secretkey"`
}

// ReadConnectionFile reads and checks a connection file.
func ReadConnectionFile(path string) (*ConnectionInfo, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("connection file: %w", err)
	}
	var info ConnectionInfo
	if err := json.Unmarshal(data, &info); err != nil {
		return nil, fmt.Errorf("connection file %s: %w", path, err)
	}
	if err := info.check(); err != nil {
		return nil, fmt.Errorf("connection file %s: %w", path, err)
	}
	return &info, nil
}

// check sets the defaults and refuses settings that the kernel could not honour.
func (c *ConnectionInfo) check() error {
	if c.Transport == "" {
		c.Transport = "tcp"
	}
	if c.Transport != "tcp" && c.Transport != "ipc" {
		return fmt.Errorf(`transport is %q, expected "tcp" or "ipc"`, c.Transport)
	}
	if c.IP == "" {
		return errors.New("ip is missing. Add the address to listen on")
	}
	if c.SignatureScheme == "" {
		c.SignatureScheme = "hmac-sha256"
	}
	if _, err := newSigner(c.SignatureScheme, c.Key); err != nil {
		return err
	}
	if c.Key == "" && !c.isLocal() {
		return fmt.Errorf("key is empty, and ip is %s: anyone who can reach that address could run code as you. "+
			"Set a key, or listen on 127.0.0.1 or with transport ipc", c.IP)
	}
	for channel, port := range c.ports() {
		if port <= 0 || c.Transport == "tcp" && port > 65535 {
			return fmt.Errorf("%s_port is %d, expected a port", channel, port)
		}
	}
	if c.CurvePublicKey != "" || c.CurveSecretKey != "" {
		return errors.New("it asks for CurveZMQ encryption, which this kernel does not support. " +
			"Start it without curve_publickey and curve_secretkey, or with transport ipc")
	}
	return nil
}

// isLocal reports whether only this machine can reach the kernel.
func (c *ConnectionInfo) isLocal() bool {
	ip := net.ParseIP(c.IP)
	return c.Transport == "ipc" || c.IP == "localhost" || ip != nil && ip.IsLoopback()
}

func (c *ConnectionInfo) ports() map[Channel]int {
	return map[Channel]int{
		Shell:        c.ShellPort,
		IOPubChannel: c.IOPubPort,
		Stdin:        c.StdinPort,
		Control:      c.ControlPort,
		Heartbeat:    c.HeartbeatPort,
	}
}

// Address returns the network and address of a channel in the notation of package net.
func (c *ConnectionInfo) Address(channel Channel) (network, address string) {
	port := strconv.Itoa(c.ports()[channel])
	if c.Transport == "ipc" {
		return "unix", c.IP + "-" + port
	}
	host := c.IP
	if host == "*" { // every interface, in ZeroMQ's words
		host = ""
	}
	return "tcp", net.JoinHostPort(host, port)
}
