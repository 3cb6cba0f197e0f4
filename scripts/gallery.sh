#!/bin/sh
# Renders the pictures of README's gallery and of docs/pictures.md into docs/pictures, from scenes that internal/gallery makes.
#
#   scripts/gallery.sh [VIEWER [DIR]]      VIEWER defaults to bin/viewer, DIR to docs/pictures
#
# Further flags of viewer render come from GALLERY_FLAGS, such as --backend native, or on a CPU, where the whole takes hours,
# --spp 24 --width 192 --height 126: five minutes on two cores, into another DIR. The pictures named before are those of
# commit fe635e5 and are not made again.
set -eu
cd "$(dirname "$0")/.."
viewer=${1:-bin/viewer}
out=${2:-docs/pictures}
[ -x "$viewer" ] || { echo "gallery.sh: no $viewer: run make first" >&2; exit 1; }
scenes=$(mktemp -d)
trap 'rm -rf "$scenes"' EXIT
go run ./internal/gallery "$scenes"
mkdir -p "$out"

# picture NAME SCENE FLAGS...
picture() {
	name=$1; scene=$2; shift 2
	echo "viewer render $scene $* -o $name.png"
	"$viewer" render "$scene" "$@" ${GALLERY_FLAGS-} -o "$out/$name.png" >/dev/null
}
picture materials "$scenes/materials.gltf" --width 640 --height 420 --spp 3000 --bounces 16
picture materials-lens "$scenes/materials.gltf" --width 320 --height 210 --spp 1000 --bounces 16 --environment sky \
	--aperture 0.25 --focus 5.6
for name in glass-shadow rough-transmission normal-mapped-metal unlit dark-paint morph; do
	picture "$name-after" "$scenes/$name.gltf" --width 240 --height 180 --spp 600 --environment sky
done
picture texture-transform-after "$scenes/texture-transform.gltf" --width 240 --height 180 --spp 1 --environment sky
picture hull-after "$scenes/hull.gltf" --width 240 --height 180 --spp 600 --headlight
picture cornell-after builtin:cornell --width 280 --height 280 --spp 96
picture cornell-denoised builtin:cornell --width 280 --height 280 --spp 96 --denoise=builtin
picture points-and-lines "$scenes/points-and-lines.gltf" --width 320 --height 210 --spp 600 --environment sky
