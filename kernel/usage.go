package main

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"
)

// A usageError is a command line that does not say what to do.
type usageError struct {
	cmd *cobra.Command
	err error
}

func (e *usageError) Error() string {
	return fmt.Sprintf("%v\nSee '%s --help'.", e.err, e.cmd.CommandPath())
}

// asUsed checks that a command has the arguments that its synopsis names: NAME stands for one,
// [NAME] for one or none, and NAME... for more of them.
func asUsed(cmd *cobra.Command, args []string) error {
	names := strings.Fields(cmd.Use)[1:]
	switch {
	case len(args) > 0 && cmd.HasAvailableSubCommands():
		return &usageError{cmd, fmt.Errorf("unknown command %q%s", args[0], closestName(cmd, args[0], false))}
	case len(args) < len(names) && !strings.HasPrefix(names[len(args)], "["):
		return &usageError{cmd, fmt.Errorf("missing argument %s", strings.TrimSuffix(names[len(args)], "..."))}
	case len(names) > 0 && strings.Contains(names[len(names)-1], "..."):
		return nil
	case len(args) > len(names) && len(names) == 0:
		return &usageError{cmd, fmt.Errorf("%s takes no arguments; remove %q", cmd.Name(), args[0])}
	case len(args) > len(names):
		return &usageError{cmd, fmt.Errorf("%s takes %s; remove %q", cmd.Name(), strings.Trim(strings.Join(names, " and "), "[]"), args[len(names)])}
	}
	return nil
}

// closestName suggests the command below cmd, or the topic if topics count, that a mistyped name
// may stand for. Otherwise, it names a command elsewhere with exactly this name, or lists the
// candidates.
func closestName(cmd *cobra.Command, typed string, topics bool) string {
	best, distance := "", 3
	var names []string
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() && sub.Name() != "help" && !(topics && sub.IsAdditionalHelpTopicCommand()) {
			continue
		}
		names = append(names, sub.Name())
		d := levenshtein.ComputeDistance(strings.ToLower(typed), sub.Name())
		if d < distance && d < len(sub.Name())-1 {
			best, distance = sub.Name(), d
		}
	}
	for _, other := range all(cmd.Root()) {
		if best == "" && other.Name() == typed && other.IsAvailableCommand() {
			best = other.CommandPath()
		}
	}
	if best == "" {
		return fmt.Sprintf("; %s has: %s", cmd.CommandPath(), strings.Join(names, ", "))
	}
	return "; did you mean " + best + "?"
}
