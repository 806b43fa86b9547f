package process

import (
	"encoding/json"
	"fmt"
	"os"
)

// againVariable has the command of Again as a JSON list.
const againVariable = "HIERML_AGAIN"

// SetAgain sets the command that [Again] returns, in this process and in those that it starts. Its
// first word is the file of this program.
func SetAgain(command ...string) error {
	text, err := json.Marshal(command)
	if err != nil {
		return err
	}
	return os.Setenv(againVariable, string(text))
}

// Again returns the command that repeats the work of this process elsewhere, as set by [SetAgain]
// in this program; ok is false if there is none, or another program has set it.
func Again() (command []string, ok bool, err error) {
	text := os.Getenv(againVariable)
	if text == "" {
		return nil, false, nil
	}
	if err := json.Unmarshal([]byte(text), &command); err != nil {
		return nil, false, fmt.Errorf("%s is %q; expected a list of words in JSON", againVariable, text)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, false, err
	}
	return command, len(command) > 0 && command[0] == self, nil
}
