/**
 * The service hands on lines of text, and cuts what is none, so all that a command prints goes as lines of base64: `o` and
 * `e` for its two streams, `O` and `E` for their ends, `x` with its code. A line is short enough to be written in one
 * piece. Parameters: 1 where it reads lines of base64 until one with a dot; then the words.
 */
export const STREAM_SCRIPT = `
i=$1
shift
encode() {
  while :; do
    c=$(dd bs=24000 count=1 2>/dev/null | base64 -w 4000)
    [ -n "$c" ] || break
    for l in $c; do printf '%s%s\\n' "$1" "$l"; done
  done
  printf '%s\\n' "$2"
}
exec 4>&1 5<&0 </dev/null
d= r= f=/dev/null
if [ "$i" = 1 ]; then
  d=$(mktemp -d) && f=$d/in && mkfifo "$f" || exit 1
  { while IFS= read -r l <&5 && [ "$l" != . ]; do printf %s "$l" | base64 -d; done; } >"$f" 2>/dev/null 4>&- &
  r=$!
fi
{ {
  { "$@" <"$f" 2>&3 3>&- 4>&- 5<&-; printf 'x%s\\n' "$?" >&4; [ -z "$r" ] || kill "$r" 2>/dev/null; } |
    encode o O >&4
} 3>&1 | encode e E >&4; }
[ -z "$d" ] || rm -rf "$d"`;

/** The same for a script that ends soon: everything at once. Parameters: the file it reads, which is removed; the words. */
export const COLLECT_SCRIPT = `
f=$1
shift
d=$(mktemp -d) || exit 1
"$@" <"$f" >"$d/o" 2>"$d/e"
c=$?
[ "$f" = /dev/null ] || rm -f "$f"
printf o; base64 <"$d/o" | tr -d '\\n'
printf '\\ne'; base64 <"$d/e" | tr -d '\\n'
printf '\\nx%s\\n' "$c"
rm -rf "$d"`;

/** What comes back, line by line. */
export type EncodedLines = {
  output(bytes: Buffer): void;
  errors(bytes: Buffer): void;
  code(code: number): void;
  /** One of the two streams is at its end. */
  ended(): void;
};

/** Takes text in any pieces. */
export function createLineReader(lines: EncodedLines): (text: string) => void {
  let pending = '';
  const take = (line: string) => {
    const rest = line.slice(1).trim();
    if (line[0] === 'o' && rest !== '') lines.output(Buffer.from(rest, 'base64'));
    if (line[0] === 'e' && rest !== '') lines.errors(Buffer.from(rest, 'base64'));
    if (line[0] === 'x') lines.code(Number(rest));
    if (line[0] === 'O' || line[0] === 'E') lines.ended();
  };
  return (text) => {
    const parts = (pending + text).split('\n');
    pending = parts.pop() ?? '';
    parts.forEach(take);
  };
}
