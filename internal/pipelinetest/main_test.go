package pipelinetest_test

import (
	"os"
	"testing"

	"github.com/everray/everray/vk/vktest"
)

func TestMain(m *testing.M) { os.Exit(vktest.QuickMain(m)) }
