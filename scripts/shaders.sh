#!/bin/sh
# Compiles the engine's shaders: shaders/**/NAME.{comp,rgen,...} -> shaders/spv/**/NAME.EXT.spv, checked by spirv-val.
#
#   scripts/shaders.sh                 compile everything
#   scripts/shaders.sh FILE...         compile only these
#   scripts/shaders.sh --check         compile everything into a temporary folder and compare with shaders/spv
#   scripts/shaders.sh --out DIR ...   write below DIR instead of shaders/spv
#
# A source with the line "// Variant: simd" is compiled once more, with ER_SIMD defined (shaders/bvh/trace/simd.glsl), to
# NAME.simd.EXT.spv. One with the line "// Variant: thin" is with VIEWER_THIN (shaders/viewer/thin.glsl), to NAME.thin.EXT.spv.
# One with the line "// Variant: long" is with ER_LONG (shaders/bvh/common/access.glsl), to
# NAME.long.EXT.spv. One with the line "// Variant: clusters" is compiled again with ER_CLUSTERS
# (shaders/bvh/trace/cluster.glsl), to NAME.clusters.EXT.spv, and NAME.clusters.simd.EXT.spv and NAME.clusters.long.EXT.spv if
# it has those lines, too. One with the line "// Uncalled functions: kept" keeps those, for the linker to call. Includes (*.glsl)
# are relative to shaders/. The output depends on the sources and the compiler's version only.
set -eu
cd "$(dirname "$0")/.."

out=shaders/spv
check=no
while [ $# -gt 0 ]; do
	case $1 in
	--check) check=yes; shift ;;
	--out) out=$2; shift 2 ;;
	-*) echo "shaders.sh: unknown option $1" >&2; exit 2 ;;
	*) break ;;
	esac
done
for tool in glslangValidator spirv-val; do
	command -v $tool >/dev/null || { echo "shaders.sh: $tool is missing; run scripts/setup.sh" >&2; exit 1; }
done
if [ $check = yes ]; then
	out=$(mktemp -d)
	trap 'rm -rf "$out"' EXIT
fi

sources() {
	find shaders -path shaders/spv -prune -o -type f \( -name '*.comp' -o -name '*.rgen' -o -name '*.rmiss' \
		-o -name '*.rchit' -o -name '*.rahit' -o -name '*.rint' -o -name '*.rcall' -o -name '*.vert' -o -name '*.frag' \) -print |
		LC_ALL=C sort
}

# relative SOURCE: its name below shaders/.
relative() {
	rel=${1#./}
	rel=${rel#"$PWD"/}
	rel=${rel#shaders/}
}

# modules: the names of what is made of the source $rel.
modules() {
	echo "$rel"
	targets "${rel%.*}"
	grep -q '^// Variant: clusters$' "shaders/$rel" || return 0
	echo "${rel%.*}.clusters.${rel##*.}"
	targets "${rel%.*}.clusters"
}

# targets NAME: the names of NAME's variants for some devices, and for points and lines.
targets() {
	for t in simd long thin; do
		if grep -q "^// Variant: $t\$" "shaders/$rel"; then echo "$1.$t.${rel##*.}"; fi
	done
}

# compile SOURCE: its modules, validated. A failure names the file and stops.
compile() {
	relative "$1"
	for m in $(modules); do
		define=
		case $m in *.simd.*) define=-DER_SIMD ;; *.long.*) define=-DER_LONG ;; *.thin.*) define=-DVIEWER_THIN ;; esac
		case $m in *.clusters.*) define="$define -DER_CLUSTERS" ;; esac
		module "$m" $define || return 1
	done
}

# module NAME [-Dx...]: one module of the source $rel.
module() {
	target=$out/$1.spv
	shift
	mkdir -p "$(dirname "$target")"
	# glslang 12 prints the file's name on success: shown only on failure.
	kept=
	if grep -q '^// Uncalled functions: kept$' "shaders/$rel"; then kept=--keep-uncalled; fi
	if ! log=$(glslangValidator -V "$@" $kept --target-env vulkan1.2 -Ishaders -o "$target.tmp" "shaders/$rel" 2>&1); then
		echo "$log" >&2
		rm -f "$target.tmp"
		return 1
	fi
	spirv-val --target-env vulkan1.2 --scalar-block-layout "$target.tmp" ||
		{ echo "shaders.sh: $target fails spirv-val" >&2; rm -f "$target.tmp"; return 1; }
	mv "$target.tmp" "$target"
}

if [ $# -gt 0 ]; then
	for f in "$@"; do compile "$f"; done
	exit 0
fi
list=$(sources)
for f in $list; do compile "$f"; done

# What has no source any more is stale.
if [ -d shaders/spv ]; then
	find shaders/spv -name '*.spv' | LC_ALL=C sort | while read -r f; do
		name=${f#shaders/spv/}
		name=${name%.spv}
		rel=$(echo "$name" | sed 's/\.simd\./\./; s/\.long\./\./; s/\.thin\./\./; s/\.clusters\./\./')
		if [ ! -e "shaders/$rel" ] || ! modules | grep -qx "$name"; then
			[ $check = no ] && rm -f "$f" || { echo "shaders.sh: $f has no source; run 'make shaders'" >&2; exit 1; }
		fi
	done
fi
if [ $check = yes ]; then
	for f in $list; do
		relative "$f"
		for m in $(modules); do
			cmp -s "$out/$m.spv" "shaders/spv/$m.spv" ||
				{ echo "shaders.sh: shaders/spv/$m.spv is not what its source compiles to; run 'make shaders' and commit" >&2; exit 1; }
		done
	done
	echo "shaders: $(echo "$list" | wc -w) sources, all reproducible"
fi
