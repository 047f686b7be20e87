// Loads a Compose file as `docker compose config` does, with the library that Docker Compose itself uses: .env beside the
// file, interpolation, merging, profiles and the checks of the whole. Prints the project as JSON.
//
//	loader DIRECTORY [PROFILE...]
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("usage: loader DIRECTORY [PROFILE...]"))
	}
	options, err := cli.NewProjectOptions(
		nil,
		cli.WithWorkingDirectory(os.Args[1]),
		cli.WithOsEnv,
		cli.WithEnvFiles(),
		cli.WithDotEnv,
		cli.WithDefaultConfigPath,
		cli.WithDefaultProfiles(os.Args[2:]...),
	)
	if err != nil {
		fail(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		fail(err)
	}
	text, err := project.MarshalJSON()
	if err != nil {
		fail(err)
	}
	fmt.Println(string(text))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
