/** The exit code that says nothing is there. */
export const MISSING = 44;

/** Messages are read by us, and a pipe that breaks is no reason to write half a file. */
const BEGIN = 'LC_ALL=C; export LC_ALL; fail() { printf "%s\\n" "$1" >&2; exit 1; }; p=$1';

/** Follows the links of a path one part at a time, as far as it exists. The result is in `r`. */
const FOLLOW = `
follow() {
  r= todo=$p/ left=40
  while [ -n "$todo" ]; do
    part=\${todo%%/*} todo=\${todo#*/}
    case $part in
      '' | .) continue ;;
      ..) r=\${r%/*}; continue ;;
    esac
    if [ -L "$r/$part" ]; then
      [ "$left" -gt 0 ] || fail "$p: too many symbolic links"
      left=$((left - 1)) link=$(readlink "$r/$part"; printf x) link=\${link%x}
      link=\${link%?}
      todo=$link/$todo
      case $link in /*) r= ;; esac
    else
      r=$r/$part
    fi
  done
  [ -n "$r" ] || r=/
}`;

const REQUIRE_FILE = `
[ -d "$p" ] && fail "$p: is a directory"
if [ ! -e "$p" ]; then ls -dL "$p" >/dev/null || exit 1; fi
[ -f "$p" ] || fail "$p is not a regular file"`;

export const READ_SCRIPT = `${BEGIN}
${REQUIRE_FILE}
if [ -n "$3" ]; then tail -c +$(($2 + 1)) "$p" | head -c "$3"
elif [ "$2" -gt 0 ]; then tail -c +$(($2 + 1)) "$p"
else cat "$p"; fi`;

/** What is missing is told apart from what must not be looked at. */
export const STAT_SCRIPT = `${BEGIN}
if [ -f "$p" ]; then k=f; elif [ -d "$p" ]; then k=d; elif [ -e "$p" ]; then k=o
else
  e=$(ls -dL "$p" 2>&1 >/dev/null)
  case $e in *'No such file'* | *'Not a directory'*) exit ${MISSING} ;; *) fail "$e" ;; esac
fi
printf '%s ' "$k"
stat -L -c '%s %.6Y' "$p" 2>/dev/null || stat -L -f '%z %Fm' "$p"`;

export const LIST_SCRIPT = `${BEGIN}
ls -d "$p/." >/dev/null && cd "$p" || exit 1
[ -r . ] || fail "$p: Permission denied"
for f in * .[!.]* ..?*; do
  if [ -L "$f" ]; then k=o; elif [ -f "$f" ]; then k=f; elif [ -d "$f" ]; then k=d; elif [ -e "$f" ]; then k=o; else continue; fi
  printf '%s%s\\0' "$k" "$f"
done`;

export const REMOVE_SCRIPT = `${BEGIN}
[ -L "$p" ] || { [ -d "$p" ] && fail "$p: is a directory"; ls -d "$p" >/dev/null || exit 1; }
rm -f "$p"`;

export const RESOLVE_SCRIPT = `${BEGIN}
${FOLLOW}
follow
printf %s "$r"`;

/**
 * The content is counted before it takes the place of the old one: if the connection breaks, what arrived looks like
 * a shorter file.
 */
export const WRITE_SCRIPT = `${BEGIN}
${FOLLOW}
follow
d=\${r%/*}
[ -d "$r" ] && fail "$r: is a directory"
[ -e "$r" ] && [ ! -f "$r" ] && fail "$r is not a regular file"
mkdir -p "\${d:-/}" || exit 1
t=$d/.hermes-$$.tmp
trap 'rm -f "$t"' EXIT
trap 'exit 1' HUP INT TERM
if [ -f "$r" ]; then
  m=$(stat -c %a "$r" 2>/dev/null || stat -f %Lp "$r") || exit 1
  (umask 077; cat >"$t") && chmod "$m" "$t" || exit 1
else
  cat >"$t" || exit 1
fi
[ "$(wc -c <"$t")" -eq "$2" ] || fail "$r: not all of the content arrived; the file was left as it was"
mv -f "$t" "$r"`;
