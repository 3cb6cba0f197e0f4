#!/bin/sh
# The nightly sweep: everything that takes too long for `make test`. For cron on a machine that is idle at night:
#
#   15 1 * * *  cd /home/everray/everray && git pull -q && scripts/nightly.sh > nightly.log 2>&1
#
#   scripts/nightly.sh            everything; EVERRAY_NIGHTLY_FUZZ is the time for each fuzz target (default 10m)
#   scripts/nightly.sh --list     only name the parts
#
# All parts run, also after one that failed. The last line says what failed; the exit status is 1 then. What fuzzers find lies
# in testdata/fuzz of their package.
set -u
cd "$(dirname "$0")/.."
fuzz_time=${EVERRAY_NIGHTLY_FUZZ:-10m}
go=$(scripts/setup.sh --go) || exit 1
failed=

# part NAME COMMAND...: runs a part, or names it.
part() {
	name=$1
	shift
	if [ "$list" = yes ]; then
		echo "$name: $*"
		return
	fi
	echo "=== $name ($(date -u +%H:%M:%S) UTC): $*"
	"$@" || failed="$failed, $name"
}

list=no
case ${1-} in
--list) list=yes ;;
"") ;;
*) echo "usage: scripts/nightly.sh [--list]" >&2; exit 2 ;;
esac

part test make test
part sweep make sweep
part race make race
part vulnerabilities make vuln
# Found in the sources, so that a new target cannot be forgotten here.
targets=$(git grep -l -e '^func Fuzz' -- '*_test.go' | sort)
for file in $targets; do
	for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
		part "$target" "$go" test -tags vulkan -run '^$' -fuzz "^$target\$" -fuzztime "$fuzz_time" "./$(dirname "$file")"
	done
done
if [ -n "$failed" ]; then
	echo "failed: ${failed#, }"
	exit 1
fi
[ $list = yes ] || echo "all parts passed"
