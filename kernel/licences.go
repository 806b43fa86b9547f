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
		Short: "Print the licences of the software in this program",
		Long: `Licences lists the embedded files and the linked modules of this program, with their authors and the texts of
their licences. The licences require these texts in every copy, so the program contains them.`,
		Example: `  hierml licences
  hierml licences > LICENCES.txt`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write([]byte(licences))
			return err
		},
	}
}
