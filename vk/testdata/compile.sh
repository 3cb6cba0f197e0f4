#!/bin/sh
# Compiles the fixtures of vk's tests: compile.sh [OUTPUT FOLDER].
set -eu
cd "$(dirname "$0")"
for f in *.comp *.rgen *.rmiss *.rchit *.vert *.frag; do
	[ -e "$f" ] || continue
	glslangValidator -V --target-env vulkan1.2 -o "${1:-.}/$f.spv" "$f" >/dev/null ||
		{ echo "compile.sh: $f does not compile" >&2; exit 1; }
	spirv-val --target-env vulkan1.2 --scalar-block-layout "${1:-.}/$f.spv"
done
