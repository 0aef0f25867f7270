#!/usr/bin/env bash
# Prints the commits since a tag (by default the latest), grouped by the place in their subject.
set -euo pipefail

if [ "${1:-}" = "-h" ] || [ "${1:-}" = "--help" ]; then
    echo "usage: changes.sh [TAG]"
    exit 0
fi

since="${1:-$(git describe --tags --abbrev=0 2>/dev/null || true)}"
if [ -n "$since" ]; then
    if ! git rev-parse --quiet --verify "$since^{commit}" >/dev/null; then
        echo "error: no tag or commit named \`$since\`" >&2
        exit 2
    fi
    range="$since..HEAD"
    echo "# Changes since $since"
else
    range="HEAD"
    echo "# Changes (no tag yet, so all of them)"
fi

# A subject such as `feat(parser)!: ...` or `parser: ...` names its place before the colon.
git log --no-merges --format='%h%x09%s' "$range" | awk -F '\t' '
    {
        subject = $2
        place = "other"
        if (match(subject, /^[A-Za-z0-9_.()\/,-]+!?: /)) {
            place = substr(subject, 1, RLENGTH - 2)
            sub(/!$/, "", place)
            subject = substr(subject, RLENGTH + 1)
        }
        if (!(place in lines)) order[++count] = place
        lines[place] = lines[place] "- " subject " (" $1 ")\n"
    }
    END {
        for (i = 1; i <= count; i++) printf "\n## %s\n\n%s", order[i], lines[order[i]]
    }'

echo
echo "# Mentions a breaking change"
echo
git log --no-merges --extended-regexp --format='- %s (%h)' \
    --grep='BREAKING[ -]CHANGE' --grep='^[A-Za-z0-9_.()/,-]+!: ' "$range"
