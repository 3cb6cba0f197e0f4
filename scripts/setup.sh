#!/bin/sh
# Installs what building, testing and running Everray needs, on Debian and Ubuntu. Idempotent; where everything is there
# already it touches nothing and needs no network. Runs as root or with sudo.
#
#   scripts/setup.sh            everything: build, window, driver, validation layer, shader compiler, screenshots
#   scripts/setup.sh headless   no window (build with `make headless`)
#   scripts/setup.sh embree     Embree 3 besides, which `viewer bench` takes as a reference for CPUs where it finds it
#   scripts/setup.sh swiftshader   SwiftShader besides, the second driver of `make sweep` (a part of Debian's chromium-common)
#   scripts/setup.sh --check    only say what is missing; exit status 1 if anything is
#   scripts/setup.sh --go       print the path of the Go to use
set -eu

what=all
extra=
check=no
for arg in "$@"; do
	case $arg in
	--check) check=yes ;;
	--go) what=go ;;
	headless) what=headless ;;
	embree) extra="$extra libembree3-3" ;;
	swiftshader) extra="$extra chromium-common" ;;
	*) echo "usage: scripts/setup.sh [headless] [embree] [swiftshader] [--check] [--go]" >&2; exit 2 ;;
	esac
done

packages="gcc libc6-dev libvulkan-dev libvulkan1 ca-certificates make git
	mesa-vulkan-drivers vulkan-validationlayers glslang-tools spirv-tools $extra"
if [ $what = all ]; then
	packages="$packages libx11-dev libxrandr-dev libxinerama-dev libxcursor-dev libxi-dev libxxf86vm-dev libgl-dev
		xvfb xauth imagemagick x11-apps xdotool"
fi
# Older lavapipe cuts shader loops short after 65,535 iterations; see vk.ErrLavapipeTooOld.
least_mesa=24.2

say() { echo "setup: $*" >&2; }
die() { say "$*"; exit 1; }

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing_packages() {
	for p in $packages; do
		installed "$p" || printf '%s ' "$p"
	done
}

mesa_fine() {
	v=$(dpkg-query -W -f '${Version}' mesa-vulkan-drivers 2>/dev/null) && [ -n "$v" ] && dpkg --compare-versions "$v" ge $least_mesa
}

# find_go prints a Go of 1.21 or newer: such a one fetches the toolchain that go.mod names (GOTOOLCHAIN=auto, set by the
# Makefile). Debian's packages of newer versions lie outside PATH.
find_go() {
	for g in "$(command -v go || :)" /usr/local/go/bin/go /usr/lib/go-1.*/bin/go; do
		[ -x "$g" ] || continue
		v=$(GOTOOLCHAIN=local "$g" env GOVERSION 2>/dev/null | sed 's/^go//')
		[ -n "$v" ] && dpkg --compare-versions "$v" ge 1.21 && { echo "$g"; return; }
	done
	return 1
}

install_go() {
	newest=$(apt-cache search --names-only '^golang-1\.[0-9]+-go$' | sed 's/ .*//' | sort -t. -k2 -n | tail -n 1)
	case $newest in
	golang-1.2[1-9]-go | golang-1.[3-9][0-9]-go) ;;
	*)
		backports_source
		as_root apt-get update -q || die "apt-get update failed after adding backports: check the network and /etc/apt"
		newest=$(apt-cache search --names-only '^golang-1\.[0-9]+-go$' | sed 's/ .*//' | sort -t. -k2 -n | tail -n 1)
		;;
	esac
	say "installing $newest, which fetches the Go that go.mod names"
	as_root apt-get install -y -q --no-install-recommends "$newest" || die "installing $newest failed: see above"
	find_go >/dev/null || die "no Go of 1.21 or newer: install one from https://go.dev/dl/ into /usr/local/go"
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		env DEBIAN_FRONTEND=noninteractive "$@"
	elif command -v sudo >/dev/null; then
		sudo env DEBIAN_FRONTEND=noninteractive "$@"
	else
		die "root is needed to run: $*"
	fi
}

# backports_source: on Debian 12 an apt source for bookworm-backports, with the address and key of the machine's own.
backports_source() {
	. /etc/os-release
	[ "${ID:-}" = debian ] && [ "${VERSION_CODENAME:-}" = bookworm ] ||
		die "only on Debian 12 is a source of newer packages known: install Mesa $least_mesa and Go 1.21, or newer, by hand"
	suite=$VERSION_CODENAME-backports
	apt-cache policy 2>/dev/null | grep -q "a=.*$suite\|n=$suite" && return
	[ -e /etc/apt/sources.list.d/$suite.sources ] && return
	sources() {
		for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
			[ -e "$f" ] && { cat "$f"; echo; }
		done
	}
	# The first source that has this release: "deb [options] URI suite ..." or a deb822 paragraph.
	uri=$(sources | awk -v r="$VERSION_CODENAME" '
		$1 == "deb" { s = $0; sub(/\[[^]]*\]/, "", s); split(s, f, " "); if (f[3] == r && !found) { print f[2]; found = 1 } }
		/^[ \t]*$/ { u = ""; ok = 0 }
		tolower($1) == "uris:" { u = $2 }
		tolower($1) == "suites:" { for (i = 2; i <= NF; i++) if ($i == r) ok = 1 }
		u != "" && ok && !found { print u; found = 1 }')
	key=$(sources | awk '
		$1 == "deb" && match($0, /signed-by=[^] ]*debian[^] ]*/) && !k { k = substr($0, RSTART + 10, RLENGTH - 10) }
		tolower($1) == "signed-by:" && $2 ~ /^\/.*debian/ && !k { k = $2 }
		END { print k }')
	: "${key:=/usr/share/keyrings/debian-archive-keyring.gpg}"
	[ -n "$uri" ] || die "no apt source of $VERSION_CODENAME found: add $suite by hand and run this again"
	say "adding $suite from $uri"
	printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' "$uri" "$suite" "$key" |
		as_root tee /etc/apt/sources.list.d/$suite.sources >/dev/null
}

if [ $what = go ]; then
	find_go || echo go
	exit
fi
command -v dpkg-query >/dev/null || die "this is no Debian or Ubuntu: install a Vulkan 1.3 driver (Mesa \
$least_mesa or newer), the Vulkan headers, loader and validation layer, glslang, spirv-tools, X11 development files, \
Xvfb and ImageMagick by hand"
missing=$(missing_packages)
mesa=fine
mesa_fine || mesa=old

if [ $check = yes ]; then
	status=0
	[ -z "$missing" ] || { say "missing packages: $missing"; status=1; }
	[ $mesa = fine ] || { say "mesa-vulkan-drivers is missing or older than $least_mesa"; status=1; }
	find_go >/dev/null || { say "Go 1.21 or newer is missing"; status=1; }
	exit $status
fi

if [ -n "$missing" ] || [ $mesa = old ]; then
	say "updating the package lists"
	as_root apt-get update -q || die "apt-get update failed: check the network and /etc/apt"
	if [ $mesa = old ]; then
		# Does what is configured already offer a new enough one?
		offered=$(apt-cache policy mesa-vulkan-drivers | sed -n 's/^ *Candidate: //p')
		from=
		if [ -z "$offered" ] || ! dpkg --compare-versions "$offered" ge $least_mesa; then
			backports_source
			as_root apt-get update -q || die "apt-get update failed after adding backports: check the network and /etc/apt"
			from="-t $(. /etc/os-release; echo "$VERSION_CODENAME")-backports"
		fi
		say "installing Mesa's Vulkan drivers"
		# shellcheck disable=SC2086 # $from is two words or none
		as_root apt-get install -y -q --no-install-recommends $from mesa-vulkan-drivers ||
			die "installing mesa-vulkan-drivers failed: see above"
		mesa_fine || die "mesa-vulkan-drivers is still older than $least_mesa: install a newer Mesa by hand"
	fi
	missing=$(missing_packages)
	if [ -n "$missing" ]; then
		say "installing $missing"
		# shellcheck disable=SC2086 # a list of words
		as_root apt-get install -y -q --no-install-recommends $missing || die "installing failed: see above"
	fi
fi
find_go >/dev/null || install_go
say "everything is there"
