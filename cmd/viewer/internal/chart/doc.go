// Package chart draws bar charts of measurements.
//
// # Contract
//
// Bars is a value that its caller fills in and does not change while Image runs. Image is pure: the same chart gives the same
// picture. It is safe for concurrent use.
package chart
