#!/usr/bin/env bash
# Sets up, builds everything and runs every test. Arguments go to `meson test` (for example: --suite verify).
# The last line counts the tests that ran: "N passed, N failed, N skipped". Fails when one failed, or when none passed.
# shellcheck source-path=SCRIPTDIR source=bootstrap.sh
source "$(dirname "${BASH_SOURCE[0]}")/bootstrap.sh"

# Programs that only tests use need not be part of `all`; the second target names them.
step "Building everything in $shown" compile ninja -C "$BUILD" all meson-test-prereq || exit 1

# Counting an older run's log would be a lie.
rm -f "$BUILD"/meson-logs/testlog*
rc=0
# The programs are built: whatever --no-rebuild leaves out is a fault to see, not to paper over.
meson test -C "$BUILD" --no-rebuild --print-errorlogs --logbase testlog "$@" </dev/null || rc=$?
echo
exec python3 common/tests/count.py --runner-exit "$rc" "$BUILD/meson-logs/testlog.json"
