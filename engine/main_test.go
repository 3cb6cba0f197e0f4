package engine

import (
	"context"
	"errors"
	cli "flag"
	"os"
	"testing"

	"github.com/everray/everray/vk/vktest"
)

func TestMain(m *testing.M) {
	cli.Parse()
	if _, err := List(context.Background(), Options{}); errors.Is(err, ErrNoDriver) && os.Getenv(vktest.RequireVariable) != "1" {
		// Examples cannot skip themselves.
		if err := cli.Set("test.skip", "^Example"); err != nil {
			panic(err)
		}
	}
	release := vktest.Hold()
	code := m.Run()
	release()
	os.Exit(code)
}
