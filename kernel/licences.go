package main

import (
	_ "embed"

	"github.com/spf13/cobra"
)

// licences are NOTICE.md and the texts of the licences of all that the program is linked with. The
// test TestLicences of doc writes them.
//
//go:embed licences.txt
var licences string

func licencesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "licences",
		Short: "Print the licences of what this program is made of",
		Long: `Licences prints whose work is in this program, and under which terms: what is embedded, the modules that it is
linked with, and the texts of their licences. They ask that who hands on the program hands on these texts, and so
the program carries them.`,
		Example: `  hierml licences
  hierml licences > LICENCES.txt`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write([]byte(licences))
			return err
		},
	}
}
