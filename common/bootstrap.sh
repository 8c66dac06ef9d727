#!/usr/bin/env bash
# Gets a machine ready: installs what is missing, then sets up the build directory.
# tour.sh and check.sh source this file; run alone, it does just that.
#
#   BUILD=folder   the build directory, absolute or relative to the top folder (default: build)
#   INSTALL=no     install no system packages: name them and stop
#
# Ends with 3 when the machine lacks something that this script may not or cannot install.
set -euo pipefail
unset CDPATH # with it, cd prints where it went

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$root/$BUILD ;; esac
shown=${BUILD#"$root"/} # how messages name it: short where it can be
venv=$BUILD/venv
mkdir -p "$BUILD/logs"

stop() { # stop CODE TEXT...: the text, then the end
    local code=$1
    shift
    printf '%s\n' "$@" >&2
    exit "$code"
}

# ---- progress ------------------------------------------------------------------------------------------------------

# Prints how long a step has been going, and ninja's "[12/40]" where its log has one. It looks whether the script is
# still there because a background job outlives a Ctrl-C.
tick() { # tick WHAT LOG
    local began=$SECONDS count
    while sleep 1 && kill -0 $$ 2>/dev/null; do
        count=$(grep -o '^\[[0-9]*/[0-9]*\]' "$2" 2>/dev/null | tail -n 1) || true
        printf '\r\033[K%s ... %d s %s' "$1" $((SECONDS - began)) "$count"
    done
}

# Runs a command with its output in a log: one line says what it does and, when it is over, how long it took.
# Should it fail, the end of the log follows, and step returns the command's exit code.
step() { # step WHAT LOG COMMAND...
    local what=$1 log=$BUILD/logs/$2.log rc=0 ticker='' began=${EPOCHREALTIME/[.,]/} tenths
    shift 2
    printf '%s ...' "$what"
    if [[ -t 1 ]]; then
        tick "$what" "$log" &
        ticker=$!
    fi
    "$@" >"$log" 2>&1 </dev/null || rc=$?
    if [[ $ticker ]]; then
        kill "$ticker" 2>/dev/null || true
        wait "$ticker" 2>/dev/null || true
        printf '\r\033[K%s ...' "$what"
    fi
    tenths=$(((${EPOCHREALTIME/[.,]/} - began) / 100000))
    if ((rc == 0)); then
        printf ' %d.%d s\n' $((tenths / 10)) $((tenths % 10))
    else
        printf ' failed after %d.%d s (exit %d)\n' $((tenths / 10)) $((tenths % 10)) "$rc"
        echo "---- the end of ${log#"$root"/}:"
        tail -n 40 "$log"
        echo "----"
    fi
    return "$rc"
}

# ---- system packages -----------------------------------------------------------------------------------------------

# The first Python from 3.10 on that can make virtual environments. It must not be the one inside our own environment
# (a reader may have activated it), since that one may have to be made anew.
find_python() {
    local found have=''
    while read -r found; do
        [[ $found == "$venv"/* ]] && continue
        "$found" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || continue
        have=yes
        "$found" -c 'import ensurepip, venv' 2>/dev/null || continue
        python=$found
        return 0
    done < <(type -aP python3 python3.14 python3.13 python3.12 python3.11 python3.10 || true)
    python=''
    needed+=(python3-venv)
    [[ $have ]] || needed+=(python3)
}

# Fills `needed` (nothing works without these) and `useful` (the build goes on without them, with less) with the names
# of Debian's packages. It asks the tools themselves, not dpkg: what counts is whether the compiler sees a header,
# however that came to be there.
look_for_packages() {
    needed=() useful=()
    local flags=() answer how name cxx=${CXX:-}
    for name in c++ g++ clang++; do # the order in which Meson looks
        [[ $cxx ]] || ! command -v "$name" >/dev/null || cxx=$name
    done
    read -ra flags <<<"$cxx ${CPPFLAGS:-} ${CXXFLAGS:-}"
    if [[ $cxx ]] && answer=$("${flags[@]}" -E -P -x c++ - 2>/dev/null <<'PROBE'
#if !__has_include(<cstdint>)
need g++
#endif
#if !__has_include(<CLI/CLI.hpp>)
need libcli11-dev
#endif
#if !__has_include(<nlohmann/json.hpp>)
need nlohmann-json3-dev
#endif
#if !__has_include(<doctest/doctest.h>)
need doctest-dev
#endif
#if !__has_include(<boost/context/fiber.hpp>)
want libboost-context-dev
#endif
#if !__has_include(<cblas.h>) && !__has_include(<openblas/cblas.h>)
want libopenblas-openmp-dev
#endif
PROBE
    ); then
        # A compiler that does not find a library repeats the bare file name.
        [[ $("${flags[@]}" -print-file-name=libboost_context.so) == */* ||
            $("${flags[@]}" -print-file-name=libboost_context.a) == */* ]] || answer+=$'\nwant libboost-context-dev'
        [[ $("${flags[@]}" -print-file-name=libopenblas.so) == */* ]] || answer+=$'\nwant libopenblas-openmp-dev'
    else # no compiler: nothing is known about the headers; apt leaves alone what is there
        answer='need g++
need libcli11-dev
need nlohmann-json3-dev
need doctest-dev
want libboost-context-dev
want libopenblas-openmp-dev'
    fi
    while read -r how name; do
        case $how in need) needed+=("$name") ;; want) useful+=("$name") ;; esac
    done < <(sort -u <<<"$answer")
    # Meson finds libraries through the one or the other.
    [[ $(type -P pkg-config pkgconf cmake) ]] || needed+=(pkg-config)
    command -v objdump >/dev/null || useful+=(binutils)
    python=''
    venv_is_good || find_python
}

as_root=()
may_install() { # whether apt-get can be run as root; leaves the words to put before it in as_root
    [[ ${INSTALL:-yes} != no ]] && command -v apt-get >/dev/null || return 1
    ((EUID != 0)) || return 0
    command -v sudo >/dev/null || return 1
    as_root=(sudo -n)
    sudo -n true 2>/dev/null && return 0
    # Somebody is there to type a password: ask before the quiet step, whose output nobody sees.
    if [[ -t 0 && -t 2 ]]; then
        echo "To install the packages that are missing, sudo may ask for your password."
        sudo -v && return 0
    fi
    return 1
}

apt_install() {
    # A repository that does not answer must not matter if the others have the packages: the install decides.
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q || true
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends -o DPkg::Lock::Timeout=120 "$@"
}

install_packages() {
    look_for_packages
    local all=("${needed[@]}" "${useful[@]}") line sudo=''
    ((${#all[@]})) || return 0
    # What the build can do without is tried once: a machine that cannot have it need not wait for apt every time.
    local tried=$BUILD/logs/apt-tried
    if [[ ${#needed[@]} == 0 && -f $tried && $(<"$tried") == "${useful[*]}" ]]; then
        : # says so below
    elif may_install; then
        echo "Missing here: ${all[*]}"
        if step "Installing them with apt-get" apt apt_install "${all[@]}"; then
            look_for_packages
            all=("${needed[@]}" "${useful[@]}")
            ((${#all[@]})) || return 0
        fi
        echo "${useful[*]}" >"$tried"
    fi
    ((EUID == 0)) || sudo='sudo '
    if command -v apt-get >/dev/null; then
        line="    ${sudo}apt-get update && ${sudo}apt-get install -y ${all[*]}"
    else
        line="    (here there is no apt-get: install what these Debian packages hold)  ${all[*]}"
    fi
    ((${#needed[@]} == 0)) || stop 3 "Missing: ${needed[*]}. Run this line, then start again:" "" "$line" ""
    echo "Going on without ${useful[*]}, and so without what is built on that. To have it, run"
    echo "$line"
}

# ---- Python tools --------------------------------------------------------------------------------------------------

# The stamp is written last, so a half-made environment has none. It holds the place (an environment cannot be moved),
# Python's version and the list of tools: a change in any of them makes the environment anew.
venv_stamp() {
    echo "$venv"
    "$venv/bin/python" -I -S -c 'import sys; print(sys.version)' || return 1
    cat plots/requirements.txt
}

venv_is_good() {
    [[ -f $venv/stamp && -x $venv/bin/meson && -x $venv/bin/ninja ]] &&
        [[ $(venv_stamp 2>/dev/null) == "$(<"$venv/stamp")" ]]
}

make_venv() {
    rm -rf "$venv" &&
        "$python" -m venv "$venv" &&
        "$venv/bin/python" -m pip install --no-input --disable-pip-version-check --prefer-binary \
            -r plots/requirements.txt &&
        venv_stamp >"$BUILD/stamp.new" &&
        mv "$BUILD/stamp.new" "$venv/stamp"
}

# Meson from the virtual environment; where that cannot be made (no network), a Meson of the machine's own will do.
install_python_tools() {
    venv_is_good || step "Installing Python tools into $shown/venv" venv make_venv || rm -rf "$venv"
    if [[ -f $venv/stamp ]]; then
        PATH=$venv/bin:$PATH
        tools=$(<"$venv/stamp")
        return
    fi
    local version
    version=$(meson --version 2>/dev/null) || version=none
    tools="meson $version"
    if [[ $version == none || $(printf '%s\n' 1.10 "$version" | sort -V | head -n 1) != 1.10 ]] ||
        ! command -v ninja >/dev/null; then
        stop 3 "The Python tools in plots/requirements.txt could not be installed (see above), and this machine has" \
            "no Meson from 1.10 on with ninja (meson: $version). Connect it to the network once and start again."
    fi
    echo "Going on with this machine's own Meson $version: plots and woven pages cannot be made."
}

# ---- the build directory -------------------------------------------------------------------------------------------

find_nvcc() { # leaves the compiler's real place in nvcc; empty without one
    local folder
    for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
        command -v nvcc >/dev/null || [[ ! $folder || ! -x $folder/bin/nvcc ]] || PATH=$PATH:$folder/bin
    done
    nvcc=$(command -v nvcc) || nvcc=''
    cuda=()
    if [[ $nvcc ]] && ! "$nvcc" --version >/dev/null 2>&1; then
        echo "The nvcc on PATH ($nvcc) does not run: building what needs no CUDA."
        nvcc='' cuda=(-Dcuda=disabled)
    elif [[ $nvcc ]]; then
        nvcc=$(readlink -f "$nvcc")
        [[ ! -f $BUILD/setup.stamp || $(<"$BUILD/setup.stamp") != *"nvcc: broken"* ]] || cuda=(-Dcuda=auto)
    else
        echo "No nvcc found: building what needs no CUDA (the rest comes once the CUDA Toolkit is installed)."
    fi
}

# Meson remembers the compilers that it found, even one that has gone since. When nvcc appeared, went or changed, or
# when the checkout has moved, empty its memory: it then looks again, with the options that the reader gave.
set_up_build() {
    local memory=$BUILD/meson-private/coredata.dat stamp=$BUILD/setup.stamp again=()
    local now="$root"$'\n'"nvcc: $nvcc"$'\n'"$tools"
    [[ ${cuda[*]} != *disabled ]] || now=${now/nvcc: /nvcc: broken}
    [[ ! -f $memory || ! -f $stamp || $(<"$stamp") != "$now" ]] || return 0
    # Without the stamp: whatever happens in between, the next run sets up again.
    rm -f "$stamp"
    if [[ -f $memory ]]; then
        : >"$memory"
        again=(--reconfigure)
    fi
    step "Setting up $shown with Meson" setup meson setup "${again[@]}" "${cuda[@]}" "$BUILD" "$root" ||
        stop 1 "Meson could not set up $shown (the whole log is in $shown/meson-logs/meson-log.txt)."
    echo "$now" >"$stamp"
}

install_packages
install_python_tools
find_nvcc
set_up_build
export PATH
