// Package machine tells what the machine has that a process may use.
package machine
