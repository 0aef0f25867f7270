#!/usr/bin/env bash
# One step of `git bisect run`: build, test, and answer good (0), bad (1) or skip (125).
set -uo pipefail

usage="usage: bisect-step.sh [--build COMMAND] [--times N] [--timeout SECONDS] TEST [ARGUMENT...]"
build=""
times=1
limit=300
while [ $# -gt 0 ]; do
    case "$1" in
        --build | --times | --timeout)
            # 255 stops a bisect run; a slip on the command line must not blame a commit.
            [ $# -ge 2 ] || { echo "$usage" >&2; exit 255; }
            case "$1" in
                --build) build="$2" ;;
                --times) times="$2" ;;
                --timeout) limit="$2" ;;
            esac
            shift 2
            ;;
        -h | --help) echo "$usage"; exit 0 ;;
        -*) echo "$usage" >&2; exit 255 ;;
        *) break ;;
    esac
done
[ $# -gt 0 ] || { echo "$usage" >&2; exit 255; }
command -v "$1" >/dev/null || { echo "error: cannot run \`$1\`" >&2; exit 255; }

if [ -n "$build" ] && ! bash -c "$build"; then
    echo "skip: it does not build"
    exit 125
fi

# A flaky bug shows in one run of several, so one failure is enough.
for run in $(seq "$times"); do
    timeout "$limit" "$@"
    code=$?
    case "$code" in
        0) ;;
        124) echo "skip: no answer after $limit seconds"; exit 125 ;;
        125) exit 125 ;;
        *) echo "bad: run $run of $times ended with $code"; exit 1 ;;
    esac
done
echo "good: $times of $times"
