package process

import (
	"encoding/json"
	"fmt"
	"os"
)

// againVariable has the command of Again as a list in JSON.
const againVariable = "HIERML_AGAIN"

// SetAgain has [Again] return a command, in this process and in those that it starts. Its first
// word is the file of this program.
func SetAgain(command ...string) error {
	text, err := json.Marshal(command)
	if err != nil {
		return err
	}
	return os.Setenv(againVariable, string(text))
}

// Again returns the command that does elsewhere what this process does, as [SetAgain] was given it
// by this program; ok is false if it was not, or by another program.
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
