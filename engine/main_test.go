package engine

import (
	"os"
	"testing"

	"github.com/everray/everray/vk/vktest"
)

func TestMain(m *testing.M) {
	release := vktest.Hold()
	code := m.Run()
	release()
	os.Exit(code)
}
