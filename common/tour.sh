#!/usr/bin/env bash
# Sets up, builds and runs every chapter in order, then prints the ladder.
# Arguments go to each chapter (for example: --size 1024; chapters/01_cpu --help lists them all).
# shellcheck source-path=SCRIPTDIR source=bootstrap.sh
source "$(dirname "${BASH_SOURCE[0]}")/bootstrap.sh"

chapters=()
for folder in chapters/[0-9][0-9]*/; do
    folder=${folder%/}
    [[ ! -d $folder ]] || chapters+=("${folder#chapters/}")
done
((${#chapters[@]})) || stop 1 "There is no chapter under chapters/."

# Ninja knows which of them this machine can build; first let it take in what changed in a meson.build.
step "Checking the build directory" targets ninja -C "$BUILD" build.ninja || exit 1
known=$'\n'$(ninja -C "$BUILD" -t targets all)
built=() targets=()
for name in "${chapters[@]}"; do
    [[ $known != *$'\n'"chapters/$name: "* ]] || built+=("$name") targets+=("chapters/$name")
done
((${#built[@]})) || stop 1 "Meson builds none of the chapters: see $shown/meson-logs/meson-log.txt."
# The tests can wait: a tour needs the chapters only.
step "Building ${#built[@]} chapters" compile ninja -C "$BUILD" "${targets[@]}" || exit 1

records=$BUILD/tour
rm -rf "$records" # an older tour's numbers must not appear in this one's ladder
mkdir -p "$records"
ran=()
for name in "${chapters[@]}"; do
    printf '\n== %s %s\n' "$name" "$(printf '=%.0s' $(seq $((76 - ${#name}))))"
    if [[ " ${built[*]} " != *" $name "* ]]; then
        if [[ $nvcc ]]; then
            echo "Not built, though there is an nvcc: $shown/meson-logs/meson-log.txt says why."
        else
            echo "Not built, because there is no nvcc."
        fi
        ran+=("$name=not-built")
        continue
    fi
    rc=0
    "$BUILD/chapters/$name" --json "$records/$name.json" "$@" || rc=$?
    case $rc in
    0) ran+=("$name=ran") ;;
    77) ran+=("$name=no-device") ;; # the chapter itself has said so
    *)
        echo "$name ended with exit code $rc: the tour stops here." >&2
        exit "$rc"
        ;;
    esac
done

echo
python3 common/ladder.py "$records" "${ran[@]}"
echo
last=${built[${#built[@]} - 1]}
echo "To build one step alone and run it:"
[[ ! -f $venv/bin/activate ]] || echo "    . $shown/venv/bin/activate     # Meson for this shell"
echo "    meson compile -C $shown $last && $shown/chapters/$last --help"
