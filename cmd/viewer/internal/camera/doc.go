// Package camera places the eye: pinhole and orthographic cameras, and an orbit for the
// mouse. It is pure arithmetic, owns nothing and never blocks; values are copied, so all of it is concurrency safe.
package camera
