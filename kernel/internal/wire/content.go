package wire

import (
	"encoding/json"
	"reflect"
)

// Contents of requests. A field that is missing or null has the default of the protocol.

// ExecuteRequest asks the kernel to run a cell.
type ExecuteRequest struct {
	Code            string            `json:"code"`
	Silent          bool              `json:"silent"`
	StoreHistory    bool              `json:"store_history"` // default true, and false if Silent
	UserExpressions map[string]string `json:"user_expressions"`
	AllowStdin      bool              `json:"allow_stdin"`   // default true
	StopOnError     bool              `json:"stop_on_error"` // default true
}

// UnmarshalJSON applies the defaults.
func (r *ExecuteRequest) UnmarshalJSON(data []byte) error {
	type plain ExecuteRequest
	p := plain{StoreHistory: true, AllowStdin: true, StopOnError: true}
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	p.StoreHistory = p.StoreHistory && !p.Silent
	*r = ExecuteRequest(p)
	return nil
}

// CompleteRequest asks for completions at a position in the code.
type CompleteRequest struct {
	Code string `json:"code"`
	// Cursor counts Unicode code points; the end of the code by default.
	Cursor *int `json:"cursor_pos"`
}

// InspectRequest asks about the name at a position in the code.
type InspectRequest struct {
	Code   string `json:"code"`
	Cursor *int   `json:"cursor_pos"`   // as in CompleteRequest
	Detail int    `json:"detail_level"` // 1 asks for the source too
}

// IsCompleteRequest asks whether the code is ready to run.
type IsCompleteRequest struct {
	Code string `json:"code"`
}

// HistoryRequest asks for earlier cells.
type HistoryRequest struct {
	Output  bool   `json:"output"`
	Raw     bool   `json:"raw"`
	Access  string `json:"hist_access_type"` // "range", "tail" or "search"
	Session int    `json:"session"`          // of a range: 0 is this one, -1 the one before
	Start   int    `json:"start"`            // of a range: first line
	Stop    *int   `json:"stop"`             // of a range: line after the last; default: the end
	// of a tail or a search: at most this many; 0 means ten for a tail, all for a search
	N       int    `json:"n"`
	Pattern string `json:"pattern"` // of a search: a glob; default "*"
	Unique  bool   `json:"unique"`  // of a search
}

// CommInfoRequest asks for the open comms.
type CommInfoRequest struct {
	Target string `json:"target_name"` // empty: all
}

// CommOpen opens a comm; either side sends it. The message may have buffers.
type CommOpen struct {
	ID     string     `json:"comm_id"`
	Target string     `json:"target_name"`
	Data   JSONObject `json:"data"`
}

// CommMessage is a message of an open comm, or closes it; either side sends it. The message may
// have buffers.
type CommMessage struct {
	ID   string     `json:"comm_id"`
	Data JSONObject `json:"data"`
}

// A JSONObject is an object that this kernel passes on unchanged. Nil means an empty one.
type JSONObject json.RawMessage

// UnmarshalJSON takes an object, or null for the empty one.
func (o *JSONObject) UnmarshalJSON(data []byte) error {
	switch {
	case string(data) == "null":
		*o = nil
	case isObject(data):
		*o = append(JSONObject{}, data...)
	default:
		return &json.UnmarshalTypeError{Value: "a value that is not an object", Type: reflect.TypeFor[map[string]any]()}
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (o JSONObject) MarshalJSON() ([]byte, error) {
	if len(o) == 0 {
		return []byte("{}"), nil
	}
	return o, nil
}

// DeleteSubshellRequest asks the kernel to delete a subshell.
type DeleteSubshellRequest struct {
	ID string `json:"subshell_id"`
}

// ShutdownRequest asks the kernel to shut down.
type ShutdownRequest struct {
	Restart bool `json:"restart"`
}

// InputReply is the user's input.
type InputReply struct {
	Value string `json:"value"`
}

// Contents of replies and of messages on iopub. Maps and slices are never null: use the
// constructors or set them.

// OK is the content of a reply without further fields.
type OK struct {
	Status string `json:"status"`
}

// Error is the content of a failed request's reply and of an error message.
type Error struct {
	Status    string   `json:"status,omitempty"` // "error" in a reply
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"`
}

// ExecuteReply answers an ExecuteRequest that succeeded.
type ExecuteReply struct {
	Status          string         `json:"status"`
	Count           int            `json:"execution_count"`
	UserExpressions map[string]any `json:"user_expressions"`
	Payload         []any          `json:"payload"` // of Page and NextInput
}

// A Page is a payload: text that the front end shows beside the notebook.
type Page struct {
	Source string                     `json:"source"` // "page"
	Data   map[string]json.RawMessage `json:"data"`
	Start  int                        `json:"start"` // the line to begin with
}

// A NextInput is a payload: source that the front end proposes.
type NextInput struct {
	Source  string `json:"source"` // "set_next_input"
	Text    string `json:"text"`
	Replace bool   `json:"replace"` // this cell's source, not the next one's
}

// ExecuteError answers an ExecuteRequest that failed.
type ExecuteError struct {
	ExecuteReply
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"`
}

// ExecuteInput shows the code of a cell to all clients.
type ExecuteInput struct {
	Code  string `json:"code"`
	Count int    `json:"execution_count"`
}

// Data is a value in several representations: the content of display_data, update_display_data and,
// with a count, execute_result. Metadata is not nil.
type Data struct {
	Data      map[string]json.RawMessage `json:"data"`
	Metadata  map[string]any             `json:"metadata"`
	Transient map[string]any             `json:"transient,omitzero"`
	Count     int                        `json:"execution_count,omitempty"`
}

// CompleteReply answers a CompleteRequest.
type CompleteReply struct {
	Status   string         `json:"status"`
	Matches  []string       `json:"matches"`
	Start    int            `json:"cursor_start"`
	End      int            `json:"cursor_end"`
	Metadata map[string]any `json:"metadata"`
}

// A CompletionType describes one match. IPython sends it under the key _jupyter_types_experimental
// in a CompleteReply's metadata.
type CompletionType struct {
	Text      string `json:"text"`
	Type      string `json:"type"`
	Signature string `json:"signature,omitempty"`
	Start     int    `json:"start"`
	End       int    `json:"end"`
}

// InspectReply answers an InspectRequest.
type InspectReply struct {
	Status   string                     `json:"status"`
	Found    bool                       `json:"found"`
	Data     map[string]json.RawMessage `json:"data"`
	Metadata map[string]any             `json:"metadata"`
}

// IsCompleteReply answers an IsCompleteRequest.
type IsCompleteReply struct {
	Status string  `json:"status"`
	Indent *string `json:"indent,omitempty"` // set if the code is incomplete
}

// HistoryReply answers a HistoryRequest with entries [session, line, input] or [session, line,
// [input, output]].
type HistoryReply struct {
	Status  string   `json:"status"`
	History [][3]any `json:"history"`
}

// ConnectReply answers a connect_request.
type ConnectReply struct {
	Status        string `json:"status"`
	ShellPort     int    `json:"shell_port"`
	IOPubPort     int    `json:"iopub_port"`
	StdinPort     int    `json:"stdin_port"`
	ControlPort   int    `json:"control_port"`
	HeartbeatPort int    `json:"hb_port"`
}

// CommInfoReply answers a CommInfoRequest.
type CommInfoReply struct {
	Status string                       `json:"status"`
	Comms  map[string]map[string]string `json:"comms"`
}

// CreateSubshellReply answers a create_subshell_request.
type CreateSubshellReply struct {
	Status string `json:"status"`
	ID     string `json:"subshell_id"`
}

// ListSubshellReply answers a list_subshell_request.
type ListSubshellReply struct {
	Status string   `json:"status"`
	IDs    []string `json:"subshell_id"`
}

// ShutdownReply answers a ShutdownRequest.
type ShutdownReply struct {
	Status  string `json:"status"`
	Restart bool   `json:"restart"`
}

// KernelInfoReply describes the kernel and its abilities.
type KernelInfoReply struct {
	Status                string       `json:"status"`
	ProtocolVersion       string       `json:"protocol_version"`
	Implementation        string       `json:"implementation"`
	ImplementationVersion string       `json:"implementation_version"`
	LanguageInfo          LanguageInfo `json:"language_info"`
	Banner                string       `json:"banner"`
	Debugger              bool         `json:"debugger"`
	HelpLinks             []HelpLink   `json:"help_links"`
	SupportedFeatures     []string     `json:"supported_features"`
}

// LanguageInfo describes the language of the cells.
type LanguageInfo struct {
	Name           string `json:"name"`
	Version        string `json:"version"`
	MIMEType       string `json:"mimetype"`
	FileExtension  string `json:"file_extension"`
	PygmentsLexer  string `json:"pygments_lexer"`
	CodeMirrorMode string `json:"codemirror_mode"`
}

// A HelpLink is an entry of the front end's help menu.
type HelpLink struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// Stream is output as text.
type Stream struct {
	Name string `json:"name"` // "stdout" or "stderr"
	Text string `json:"text"`
}

// Status says whether the kernel is busy.
type Status struct {
	State string `json:"execution_state"` // "starting", "busy" or "idle"
}

// ClearOutput removes a cell's output.
type ClearOutput struct {
	Wait bool `json:"wait"` // until something new arrives
}

// InputRequest asks the user for a line.
type InputRequest struct {
	Prompt   string `json:"prompt"`
	Password bool   `json:"password"`
}
