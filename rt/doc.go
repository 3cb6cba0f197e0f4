// Package rt has the words for a ray tracing pipeline that every room uses: its shaders, their groups, the form it is linked in,
// what is promised about it. Package engine gives them to applications under its own names, both ways take them as they are, and
// so does the linker: nobody copies them field by field.
//
// It stands below everything, and imports nothing of this module. All of it is values: nobody owns, nothing blocks. Who takes
// them says what is valid; slices are not copied.
package rt
