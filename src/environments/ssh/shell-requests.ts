import { quoteShellWord } from '../../util/index.ts';

/** What one request to a remote shell runs. */
export type ShellRequest = {
  /** Marks the end of the output. Random and unknown to the command, so that it cannot print it. */
  id: string;
  /**
   * `script`: a short script of ours, with the given number of bytes as its stdin.
   * `command`: a command of the user without stdin. Its output ends when all processes that hold it have exited.
   * `exclusive`: replaces the shell, so that the streams belong to the command from then on.
   */
  kind: 'script' | 'command' | 'exclusive';
  /** A file that must not exist yet. The request creates it and is refused if somebody else did. */
  claim: string;
  inputBytes: number;
  /** The program and its arguments. */
  words: readonly string[];
};

/** Marks the output of the start-up files, which is discarded. */
export const READY_ID = 'ready';

/**
 * Runs in the remote shell: reads one request per line and runs them one after the other. `cat` receives the output of
 * a command, so that the shell continues when nobody holds it any more: a process that a command left running would
 * otherwise write into the output of the next one.
 */
export const SHELL_LOOP = `
hermes_n='
'
hermes_end() { printf '\\036%s %s\\0' "$1" "$2"; printf '\\036%s %s\\0' "$1" "$2" >&2; }
hermes_end ${READY_ID} 0
while IFS= read -r hermes_line; do
  eval "set -- $hermes_line"
  hermes_id=$1 hermes_kind=$2 hermes_claim=$3 hermes_bytes=$4
  shift 4
  if [ -n "$hermes_claim" ] && ! (set -C; : >"$hermes_claim") 2>/dev/null && [ -e "$hermes_claim" ]; then
    hermes_end "$hermes_id" 125
    continue
  fi
  case $hermes_kind in
    exclusive) exec "$@" ;;
    command) "$@" </dev/null | cat ;;
    *)
      if [ "$hermes_bytes" -gt 0 ]; then
        head -c "$hermes_bytes" | { "$@"; hermes_code=$?; cat >/dev/null; exit "$hermes_code"; }
      else
        "$@" </dev/null
      fi ;;
  esac
  hermes_end "$hermes_id" "$?"
done`;

/** The line that the remote shell reads. Line breaks in words are written as a variable. */
export function encodeRequest({ id, kind, claim, inputBytes, words }: ShellRequest): string {
  const all = [id, kind, claim, String(inputBytes), ...words];
  const broken = all.find((word) => word.includes('\0'));
  if (broken !== undefined) throw new TypeError('A command cannot contain a NUL character.');
  return `${all.map((word) => quoteShellWord(word).replaceAll('\n', `'"$hermes_n"'`)).join(' ')}\n`;
}

/** The part of a stream that belongs to a request: all of it so far, or everything up to its end. */
export type StreamPart =
  | { isEnd: false; output: Buffer; held: Buffer }
  | { isEnd: true; output: Buffer; code: number; rest: Buffer };

/** Splits off the output of a request. `held` may be the beginning of the end mark, so it must be passed again. */
export function splitAtEnd(data: Buffer, id: string): StreamPart {
  const mark = Buffer.from(`\u001E${id} `);
  const at = data.indexOf(mark);
  const from = at < 0 ? data.length - overlap(data, mark) : at;
  const end = at < 0 ? -1 : data.indexOf(0, at + mark.length);
  const output = data.subarray(0, from);
  if (end < 0) return { isEnd: false, output, held: data.subarray(from) };
  const code = Number(data.toString('latin1', at + mark.length, end));
  return { isEnd: true, output, code, rest: data.subarray(end + 1) };
}

/** The length of the longest suffix of the data with which the mark begins. */
function overlap(data: Buffer, mark: Buffer): number {
  const at = data.subarray(-(mark.length - 1)).indexOf(mark[0] as number);
  if (at < 0) return 0;
  for (let length = Math.min(mark.length - 1, data.length); length > 0; length -= 1) {
    if (data.subarray(-length).equals(mark.subarray(0, length))) return length;
  }
  return 0;
}
