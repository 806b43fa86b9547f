package nb

import (
	"encoding/json"
	"sync"
)

// controlTarget is the target of the comm with which a page requests all widgets when it is loaded.
const controlTarget = "jupyter.widget.control"

// known are the models that front ends know.
var known modelTable

type modelTable struct {
	mu     sync.Mutex
	models map[string]knownModel // by the ID of the comm
}

// A knownModel is the state of a model, with the lock that guards it if it changes.
type knownModel struct {
	state map[string]any
	lock  *sync.Mutex
}

func (t *modelTable) add(c *Comm, state map[string]any, lock *sync.Mutex) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.models == nil {
		t.models = map[string]knownModel{}
	}
	t.models[c.ID()] = knownModel{state, lock}
}

func (t *modelTable) remove(c *Comm) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.models, c.ID())
}

// states returns the states of all models, as a page wants them.
func (t *modelTable) states() (map[string]any, error) {
	t.mu.Lock()
	models := make(map[string]knownModel, len(t.models))
	for id, m := range t.models {
		models[id] = m
	}
	t.mu.Unlock()
	states := make(map[string]any, len(models))
	for id, m := range models {
		state, err := m.snapshot()
		if err != nil {
			return nil, err
		}
		states[id] = state
	}
	return states, nil
}

func (m knownModel) snapshot() (map[string]any, error) {
	if m.lock != nil {
		m.lock.Lock()
		defer m.lock.Unlock()
	}
	text, err := json.Marshal(m.state)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"model_name":           m.state["_model_name"],
		"model_module":         m.state["_model_module"],
		"model_module_version": m.state["_model_module_version"],
		"state":                json.RawMessage(text),
	}, nil
}

// statesOf answers a page that opened the comm c.
func statesOf(c *Comm) func(kind string, m Message) func() {
	return func(kind string, m Message) func() {
		var content struct{ Method string }
		if kind != "msg" || m.Decode(&content) != nil || content.Method != "request_states" {
			return nil
		}
		states, err := known.states()
		if err != nil {
			panic(err) // reported by the caller that delivers the message
		}
		// A page that closed the comm needs no answer.
		_ = c.Send(map[string]any{"method": "update_states", "states": states, "buffer_paths": []any{}})
		return nil
	}
}
