// Package clusters cuts a scene's triangles into clusters and has the device build them, for the viewer's bench and demo. Whoever
// makes something of it destroys it before the device closes; nothing here is safe for concurrent use.
package clusters
