package conformance

import (
	"fmt"

	"github.com/everray/everray/sbt"
)

// launchRows: launches of one, two and three dimensions; every index runs once and sees its id and the size.
func launchRows() []Row {
	p := newProgram("launch", 8, "id x", "id y", "id z", "size x", "size y", "size z", "calls", "payload")
	table := sbt.Layout{
		Raygen: []sbt.Record{{Group: p.raygen(`
layout(location = 0) rayPayloadEXT uvec4 p;
void main() {
    p = uvec4(gl_LaunchIDEXT, 0u);
    traceRayEXT(scene, 0u, 0xFFu, 0u, 0u, 0u, vec3(0.0), 0.0, vec3(0.0, 0.0, gl_LaunchIDEXT.x % 2u == 0u ? 1.0 : -1.0), 100.0, 0);
    for (uint k = 0u; k < 3u; k++) { OUT(k) = p[k]; OUT(3u + k) = gl_LaunchSizeEXT[k]; }
    atomicAdd(OUT(6), 1u);
    OUT(7) = p.w;
}
`)}},
		Miss: []sbt.Record{{Group: p.miss("layout(location = 0) rayPayloadInEXT uvec4 p;\nvoid main() { p.w = p.xyz == gl_LaunchIDEXT " +
			"? gl_LaunchSizeEXT.x : 0u; }")}},
		Hit: []sbt.Record{{Group: p.hit("layout(location = 0) rayPayloadInEXT uvec4 p;\nvoid main() { p.w = p.xyz == gl_LaunchIDEXT ? "+
			"gl_LaunchSizeEXT.x + 1u : 0u; }", "")}},
	}
	scene := single(mesh(opaqueOnce, front(0, 0, 2)))
	var out []Row
	for _, size := range [][3]uint32{{1, 1, 1}, {37, 1, 1}, {1, 19, 1}, {1, 1, 9}, {33, 9, 1}, {5, 3, 7}, {8, 4, 2}, {64, 32, 1},
		{2, 1, 300}} {
		row := Row{Name: fmt.Sprintf("%dx%dx%d", size[0], size[1], size[2]),
			Rule:    vulkan + "vkCmdTraceRaysKHR: a ray generation group of width x height x depth rays",
			Program: p, Scene: scene, Table: table, Launch: size}
		for z := range size[2] {
			for y := range size[1] {
				for x := range size[0] {
					// The result begins with poison, so that a second call of an index would show.
					const poison = 0xCDCDCDCD
					row.Want = append(row.Want, us(x, y, z, size[0], size[1], size[2], poison+1, size[0]+(x+1)%2)...)
				}
			}
		}
		out = append(out, row)
	}
	for _, size := range [][3]uint32{{0, 5, 5}, {5, 0, 5}, {5, 5, 0}} {
		out = append(out, Row{Name: fmt.Sprintf("%dx%dx%d", size[0], size[1], size[2]),
			Rule:    vulkan + "vkCmdTraceRaysKHR: a launch with a size of 0 does nothing",
			Program: p, Scene: scene, Table: table, Launch: size, Want: us(0xCDCDCDCD)})
	}
	for _, row := range out {
		if size := row.Launch; size == [3]uint32{5, 3, 7} || size == [3]uint32{33, 9, 1} || size[0]*size[1]*size[2] == 0 {
			out = append(out, commandRows(row)...)
		}
	}
	return out
}

// commandRows is the row by every other command that launches rays.
func commandRows(row Row) []Row {
	rules := map[Command]string{
		Indirect:      vulkan + "vkCmdTraceRaysIndirectKHR: the launch size is in device memory",
		IndirectTable: "VK_KHR_ray_tracing_maintenance1: vkCmdTraceRaysIndirect2KHR: so are the table's regions",
		Secondary:     vulkan + "Ray Tracing Commands may be recorded in secondary command buffers",
		Together:      vulkan + "Ray Tracing Commands: nothing orders launches without a barrier",
	}
	var out []Row
	for _, c := range []Command{Indirect, IndirectTable, Secondary, Together} {
		other := row
		other.Command, other.Rule = c, rules[c]
		other.Name = fmt.Sprintf("%s/%v", row.Name, c)
		// A launch index that runs twice counts twice.
		if c == Secondary && row.Program.Name == "launch" && len(row.Want) > 1 {
			other.Want = append([]Word(nil), row.Want...)
			for i := 6; i < len(other.Want); i += row.Program.Words {
				other.Want[i] = U(other.Want[i].bits + 1)
			}
		}
		out = append(out, other)
	}
	return out
}

// strideZeroRows: with strides of 0 every index is the first record.
func (c *core) strideZeroRows() []Row {
	scene, offsets := addressScene()
	table := c.table(c.recordAny, c.ignore, c.noClosest)
	table.Miss = []sbt.Record{{Group: c.miss, Data: le(60)}, {Group: c.otherMiss, Data: le(61)}}
	row := Row{Name: "strides-zero", Rule: sbtAt + "offset + stride * index: a stride of 0 is valid", Program: c.Program, Scene: scene,
		Table: table, Command: StridesZero}
	for i := range offsets {
		for g := range uint32(4) {
			r := down(float32(4*g), float32(10*i))
			r.Offset, r.Stride = 3, 7
			row.Rays = append(row.Rays, r)
			want := set(coreHit(2, 0), coreGeometry, U(g))
			want[coreSeen] = U(boolean(g == 3))
			row.Want = append(row.Want, want...)
		}
	}
	missed := down(90, 90)
	missed.Miss = 77
	row.Rays = append(row.Rays, missed)
	row.Want = append(row.Want, coreMissed(60, 0, tmax)...)
	return []Row{row}
}
