package wire

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A Request is a message on shell or control. The reply must go back on the same channel.
type Request struct {
	Message
	Channel Channel
	server  *Server
}

// A Parent is the message that another message answers. The zero value means none.
type Parent struct {
	ID     string
	Header json.RawMessage
}

// AsParent returns the request as the parent of messages published for it.
func (r *Request) AsParent() Parent { return Parent{r.Header.ID, r.RawHeader} }

// Decode decodes the content of the request into the struct that content points to. The error names
// the wrong field.
func (r *Request) Decode(content any) error {
	if !isObject(r.Content) {
		return fmt.Errorf("the content of %s is not a JSON object", r.Header.Type)
	}
	if err := json.Unmarshal(r.Content, content); err != nil {
		return fmt.Errorf("the content of %s: %w", r.Header.Type, err)
	}
	return nil
}

// ReplyType is the type of the message that answers the request.
func (r *Request) ReplyType() string {
	return strings.TrimSuffix(r.Header.Type, "_request") + "_reply"
}

// Reply answers the request.
func (r *Request) Reply(content any) error {
	body, err := marshal(content)
	if err != nil {
		return err
	}
	_, frames := r.server.encode(r.ReplyType(), r.RawHeader, nil, body, nil)
	return r.server.send(r.Channel, r.Identities, frames)
}

// send sends a message to the peer whose route is the first identity.
func (s *Server) send(channel Channel, identities, frames [][]byte) error {
	all := make([][]byte, 0, len(identities)+len(frames))
	all = append(all, identities...)
	return s.transport.Send(channel, append(all, frames...))
}
