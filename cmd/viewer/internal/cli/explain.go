package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/vk"
)

// explain is an error as one line for a person: the words of the system and of drivers in it are replaced by usual ones.
func explain(err error) string {
	text := report.OneLine(err)
	eachError(err, func(e error) {
		if plain := plainWords(e); plain != "" {
			text = strings.ReplaceAll(text, report.OneLine(e), plain)
		}
	})
	return text
}

// eachError visits an error and all that it wraps, without recursion: joined errors make a tree.
func eachError(err error, visit func(error)) {
	for todo := []error{err}; len(todo) > 0; {
		e := todo[0]
		todo = todo[1:]
		if e == nil {
			continue
		}
		visit(e)
		switch w := e.(type) { //nolint:errorlint // this is the unwrapping
		case interface{ Unwrap() error }:
			todo = append(todo, w.Unwrap())
		case interface{ Unwrap() []error }:
			todo = append(todo, w.Unwrap()...)
		}
	}
}

// plainWords says an error of the system or of Vulkan in usual words; "" where it is none.
func plainWords(err error) string {
	switch e := err.(type) { //nolint:errorlint // eachError visits what is wrapped by itself
	case *fs.PathError:
		return fileWords(e.Path, e.Err)
	case *os.LinkError:
		return fileWords(e.New, e.Err)
	case *vk.ResultError:
		return deviceWords(e)
	}
	return ""
}

func fileWords(path string, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("there is no file %q", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("%q may not be accessed: check its rights", path)
	}
	return fmt.Sprintf("%q: %v", path, err)
}

func deviceWords(e *vk.ResultError) string {
	said := ""
	if e.Said != "" {
		said = ": the driver says: " + e.Said
	}
	switch {
	case errors.Is(e, vk.ErrOutOfDeviceMemory):
		return "the device has too little memory: make the image or the scene smaller, or choose another --device" + said
	case errors.Is(e, vk.ErrOutOfHostMemory):
		return "the computer has too little memory: make the image or the scene smaller" + said
	case errors.Is(e, vk.ErrDeviceLost):
		return "the device is lost, its driver has reset it: try again, or choose another --device" + said
	case e.Unwrap() != nil:
		return e.Unwrap().Error() + said
	}
	return fmt.Sprintf("the driver refuses %s", e.Op) + said
}

// flagError says what is wrong with a flag, and what would be right.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &value):
		return fmt.Errorf("%w: --%s %q: want %s", errUsage, value.GetFlag().Name, value.GetValue(), valuesOf(value.GetFlag()))
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if unknown.GetSpecifiedShortnames() == "" {
			name = "--" + name
		} else {
			name = "-" + name
		}
		return fmt.Errorf("%w: there is no %s: see %s --help", errUsage, name, cmd.CommandPath())
	case errors.As(err, &missing):
		return fmt.Errorf("%w: --%s needs a value: %s", errUsage, missing.GetFlag().Name, valuesOf(missing.GetFlag()))
	}
	return fmt.Errorf("%w: %w", errUsage, err)
}

// valuesOf says what values a flag takes.
func valuesOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "uint32", "uint64", "int64":
		return "a whole number"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	case "duration":
		return "a time such as 90s or 1h30m"
	}
	return f.Usage
}

// isUsage tells whether an error is about how the command was called, and so exit code 2.
func isUsage(err error) bool {
	return errors.Is(err, errUsage)
}
