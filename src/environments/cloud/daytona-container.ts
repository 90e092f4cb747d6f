import { randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { Sandbox } from '@daytonaio/sdk';
import { quoteShellWord } from '../../util/index.ts';
import type { LaunchedChild } from '../launched-command.ts';
import { CONNECTION_LOST, createRemoteChild } from '../remote/remote-child.ts';
import { createCloudTerminal, textOf, writableTo } from './cloud-connection.ts';
import type { CloudContainer } from './cloud-service.ts';

/** Timeout of a short script, enforced by the service. */
const RUN_SECONDS = 600;
/** How often Hermes reports to the service that a container is in use while a command prints nothing. */
const ACTIVITY_MS = 300_000;
/** How many bytes fit into a line that is written atomically. */
const INPUT_BYTES = 3000;
/**
 * Runs a command and prints its output as lines of base64, because the service transports text lines only: `o` and `e`
 * for the two streams, `O` and `E` for their ends, `x` with the exit code. Lines are short enough to be written
 * atomically. Parameters: 1 if it reads lines of base64 until a line with a dot; then the words.
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
/**
 * Like `STREAM_SCRIPT`, but for a short script, in one request. Parameters: its input file, which is removed; the
 * words.
 */
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

const shellCommand = (words: readonly string[]) => words.map(quoteShellWord).join(' ');

const newName = () => `hermes-${randomBytes(8).toString('hex')}`;

/** A Daytona container, which runs commands in sessions and terminals. */
export function createDaytonaContainer(sandbox: Sandbox): CloudContainer & { letGo(): void } {
  const stops = new Set<() => void>();

  /** Base64 avoids quoting, which differs between minimal shells. */
  async function collect(words: readonly string[], file: string) {
    const text = Buffer.from(shellCommand(['/bin/sh', '-c', COLLECT_SCRIPT, 'sh', file, ...words])).toString('base64');
    const command = `sh -c 'echo ${text} | base64 -d | sh'`;
    const { result } = await sandbox.process.executeCommand(command, undefined, undefined, RUN_SECONDS);
    const found: { code?: number; output: Buffer; errors: string } = { output: Buffer.alloc(0), errors: '' };
    const read = createLineReader({
      output: (bytes) => (found.output = bytes),
      errors: (bytes) => (found.errors = bytes.toString()),
      code: (code) => (found.code = code),
      ended: () => undefined,
    });
    read(`${result}\n`);
    if (found.code === undefined) throw new Error(`no response from the container: ${result.slice(0, 200)}`);
    return { ...found, code: found.code };
  }

  return {
    begin: (words, input) => beginSession({ sandbox, words, input, name: newName(), stops }),
    async beginTerminal(words, { columns, rows }) {
      // Uploaded as a file, because the terminal would truncate long lines of input.
      const file = `/tmp/${newName()}`;
      await sandbox.fs.uploadFile(Buffer.from(`rm -f "$0"\nexec ${shellCommand(words)}\n`), file);
      const { promise: ended, resolve } = Promise.withResolvers<number | undefined>();
      const stop = () => void handle.disconnect();
      const { terminal, push } = createCloudTerminal({ write: (bytes) => handle.sendInput(bytes), ended, stop });
      const handle = await sandbox.process.createPty({ id: newName(), cols: columns, rows, onData: push });
      stops.add(stop);
      void handle
        .wait()
        .then(
          ({ exitCode }) => resolve(exitCode),
          () => resolve(undefined),
        )
        .finally(() => stops.delete(stop));
      await handle.sendInput(`exec /bin/sh ${file}\n`);
      return terminal;
    },
    async run(words, input) {
      if (input === undefined) return collect(words, '/dev/null');
      const file = `/tmp/${newName()}`;
      await sandbox.fs.uploadFile(Buffer.from(input), file);
      return collect(words, file);
    },
    letGo() {
      for (const stop of stops) stop();
    },
  };
}

type SessionStart = {
  sandbox: Sandbox;
  words: readonly string[];
  input: boolean;
  /** The name of a new session: commands in the same session wait for each other. */
  name: string;
  /** Called when the connection is closed. */
  stops: Set<() => void>;
};

/** Starts a command in its own session, which is removed when it ends. */
async function beginSession({ sandbox, words, input, name, stops }: SessionStart): Promise<LaunchedChild> {
  const { process: service } = sandbox;
  await service.createSession(name);
  const text = ['/bin/sh', '-c', STREAM_SCRIPT, 'sh', input ? '1' : '', ...words].map(quoteShellWord).join(' ');
  const request = { command: text, runAsync: true, suppressInputEcho: true };
  const { cmdId: command } = await service.executeSessionCommand(name, request);
  const send = (line: string) => service.sendSessionCommandInput(name, command, `${line}\n`);
  const near = createRemoteChild(input ? writerTo(send) : null, () => finish(CONNECTION_LOST));
  const timer = setInterval(() => void sandbox.refreshActivity().catch(() => undefined), ACTIVITY_MS).unref();
  const letGo = () => finish(CONNECTION_LOST);
  stops.add(letGo);
  let code: number | undefined;
  let streams = 2;

  function finish(ending: number): void {
    if (!stops.delete(letGo)) return;
    clearInterval(timer);
    near.end(ending);
    // A detached command keeps running.
    if (ending !== CONNECTION_LOST) void service.deleteSession(name).catch(() => undefined);
  }
  const whole = () => {
    if (code !== undefined && streams === 0) finish(code);
  };
  const read = createLineReader({
    output: (bytes) => void near.output(bytes),
    errors: (bytes) => void near.errors(bytes),
    code(found) {
      code = found;
      whole();
    },
    ended() {
      streams--;
      whole();
    },
  });
  const over = (fault: string) => {
    if (stops.has(letGo)) void near.errors(Buffer.from(`${fault}\n`));
    finish(CONNECTION_LOST);
  };
  void service
    .getSessionCommandLogs(name, command, read, () => undefined)
    .then(() => over('the connection to the container was lost'))
    .catch((thrown: unknown) => over(textOf(thrown)));
  return near.child;
}

function writerTo(send: (line: string) => Promise<void>): Writable {
  const sendAll = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; at += INPUT_BYTES) {
      await send(Buffer.from(bytes.subarray(at, at + INPUT_BYTES)).toString('base64'));
    }
  };
  return writableTo({ write: sendAll, end: () => send('.') });
}

/** The encoded output, line by line. */
type EncodedLines = {
  output(bytes: Buffer): void;
  errors(bytes: Buffer): void;
  code(code: number): void;
  /** One of the two streams has ended. */
  ended(): void;
};

/** Accepts text in chunks of any size. */
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
