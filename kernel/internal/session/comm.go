package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/wire"
)

// maxComms bounds how many comms are open.
const maxComms = 1 << 16

// comms is the table of open comms, whichever side opened them.
type comms struct {
	mu      sync.Mutex
	targets map[string]string // by id
}

func (c *comms) open(id, target string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, known := c.targets[id]
	switch {
	case id == "":
		return errors.New("a comm without comm_id")
	case known:
		return fmt.Errorf("comm %q is already open", id)
	case len(c.targets) >= maxComms:
		return fmt.Errorf("%d comms are open, and no more are allowed", maxComms)
	case c.targets == nil:
		c.targets = make(map[string]string)
	}
	c.targets[id] = target
	return nil
}

// check returns an error if the comm is not open.
func (c *comms) check(id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.targets[id]; !known {
		return fmt.Errorf("comm %q is not open", id)
	}
	return nil
}

// close checks that a comm is open, and removes it.
func (c *comms) close(id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.targets[id]; !known {
		return fmt.Errorf("comm %q is not open", id)
	}
	delete(c.targets, id)
	return nil
}

// closeAll removes all comms and returns their ids.
func (c *comms) closeAll() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	ids := make([]string, 0, len(c.targets))
	for id := range c.targets {
		ids = append(ids, id)
	}
	c.targets = nil
	return ids
}

// of returns the comms of a target, or of all targets if it is empty, in the form of a reply.
func (c *comms) of(target string) map[string]map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := make(map[string]map[string]string)
	for id, t := range c.targets {
		if target == "" || t == target {
			found[id] = map[string]string{"target_name": t}
		}
	}
	return found
}

func commInfo(s *session, r *request) (any, error) {
	var content wire.CommInfoRequest
	if err := r.Decode(&content); err != nil {
		return nil, err
	}
	return wire.CommInfoReply{Status: "ok", Comms: s.comms.of(content.Target)}, nil
}

// commOpen opens a comm for a front end. Code that does not want it closes it while the message is
// delivered.
func commOpen(s *session, r *request) (any, error) {
	var content wire.CommOpen
	err := r.Decode(&content)
	if err == nil {
		err = s.comms.open(content.ID, content.Target)
	}
	if err != nil {
		s.log.Warn("comm_open ignored", "reason", err)
		return nil, nil
	}
	m := &program.CommMessage{Kind: "open", ID: content.ID, Target: content.Target, Data: json.RawMessage(content.Data)}
	failed, reply := s.deliver(r, m)
	if failed && s.comms.close(content.ID) == nil {
		s.publish(r.AsParent(), "comm_close", wire.CommMessage{ID: content.ID})
	}
	return reply, nil
}

func commMessage(s *session, r *request) (any, error) {
	return s.passOn(r, "msg", s.comms.check)
}

func commClose(s *session, r *request) (any, error) {
	return s.passOn(r, "close", s.comms.close)
}

// passOn delivers a message of an open comm.
func (s *session) passOn(r *request, kind string, check func(id string) error) (any, error) {
	var content wire.CommMessage
	err := r.Decode(&content)
	if err == nil {
		err = check(content.ID)
	}
	if err != nil {
		// The message may have crossed the kernel's comm_close.
		s.log.Debug(r.Header.Type+" ignored", "reason", err)
		return nil, nil
	}
	_, reply := s.deliver(r, &program.CommMessage{Kind: kind, ID: content.ID, Data: json.RawMessage(content.Data)})
	return reply, nil
}

// deliver passes a message of a comm to the code that listens to it, and publishes that code's
// error, if any. The other results are for [session.answer].
func (s *session) deliver(r *request, m *program.CommMessage) (failed bool, content any) {
	m.Metadata, m.Buffers = r.Metadata, r.Buffers
	parent := r.AsParent()
	out := newOutput(s, parent)
	ctx, done := s.interruptible(r.shell, out)
	defer done()
	err := s.deliverTo(ctx, m, out)
	out.finish()
	if err == nil {
		return false, nil
	}
	f := s.explain(ctx, err)
	s.publish(parent, "error", wire.Error{Name: f.Name, Value: f.Message, Traceback: f.Traceback})
	if isInterrupted(ctx) {
		return true, aborting{}
	}
	return true, nil
}

func (s *session) deliverTo(ctx context.Context, m *program.CommMessage, out *output) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = s.panicked(p, "a comm")
		}
		if isDeath(err) {
			s.closeComms(out.parent)
		}
	}()
	return s.evaluator.Deliver(ctx, s.nextSerial(), m, out)
}

// closeComms closes all comms, because the worker with their other ends died.
func (s *session) closeComms(parent wire.Parent) {
	for _, id := range s.comms.closeAll() {
		s.publish(parent, "comm_close", wire.CommMessage{ID: id})
	}
}

// sendComm sends a message from the kernel's side of a comm.
func (s *session) sendComm(parent wire.Parent, m *program.CommMessage) error {
	b := wire.Broadcast{
		Type:     "comm_" + m.Kind,
		Content:  wire.CommMessage{ID: m.ID, Data: wire.JSONObject(m.Data)},
		Metadata: m.Metadata,
		Buffers:  m.Buffers,
	}
	var err error
	switch m.Kind {
	case "call":
		return s.sendCall(parent, m.ID)
	case "open":
		b.Content = wire.CommOpen{ID: m.ID, Target: m.Target, Data: wire.JSONObject(m.Data)}
		err = s.comms.open(m.ID, m.Target)
	case "msg":
		err = s.comms.check(m.ID)
	case "close":
		err = s.comms.close(m.ID)
	default:
		err = fmt.Errorf("a message of a comm of the unknown kind %q", m.Kind)
	}
	if err != nil {
		return err
	}
	s.iopub.WaitRoom()
	return s.iopub.Publish(parent, b)
}
