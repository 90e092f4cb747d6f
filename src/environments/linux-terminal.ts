import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ReadStream } from 'node:tty';
import { trailingPrefixLength } from '../util/index.ts';
import type { TerminalProgram, TerminalStart } from './pty-process.ts';

/** The native module of the pty package, in the version of our lock file. */
type Native = {
  fork(
    file: string,
    args: readonly string[],
    env: readonly string[],
    directory: string,
    columns: number,
    rows: number,
    userId: number,
    groupId: number,
    utf8: boolean,
    helper: string,
    onExit: (exitCode: number, signal: number) => void,
  ): { fd: number; pid: number; pty: string };
  resize(fd: number, columns: number, rows: number): void;
};

/** How long to wait for more output after the program has exited. */
const QUIET_MS = 1000;
const RETRY_MS = 5;

/**
 * A pseudo-terminal whose output is read completely. On Node 22 the stream ends as soon as no process has the
 * terminal open, although the last lines were not read yet. So this process keeps the slave side open as well, and
 * after the program has exited it writes an end marker there. When the marker is read, all output has arrived.
 */
export function openLinuxTerminal(start: TerminalStart): TerminalProgram {
  const native = loadNative();
  const { size, mark, onOutput } = start;
  const ended = Promise.withResolvers<{ exitCode: number; signal: number }>();
  const lastWord = `\u001E${mark} over\0`;
  let outcome: { exitCode: number; signal: number } | undefined;
  let held = '';
  let quiet: NodeJS.Timeout | undefined;
  let over = false;

  function finish(): void {
    if (outcome === undefined || over) return;
    over = true;
    clearTimeout(quiet);
    if (side !== undefined) closeSync(side);
    stream.destroy();
    ended.resolve(outcome);
  }

  /** Removes the end marker from the output; it may arrive in several chunks. */
  function take(text: string): void {
    quiet?.refresh();
    if (outcome === undefined) return onOutput(text);
    held += text;
    const at = held.indexOf(lastWord);
    const end = at < 0 ? held.length - trailingPrefixLength(held, lastWord) : at;
    onOutput(held.slice(0, end));
    held = held.slice(end);
    if (at >= 0) finish();
  }

  function sayLastWord(): void {
    if (over || side === undefined) return;
    try {
      writeSync(side, lastWord);
    } catch {
      // The buffer is full, so its content must be read first.
      setTimeout(sayLastWord, RETRY_MS);
    }
  }

  const env = Object.entries({ ...start.env, PWD: start.directory }).map(([name, value]) => `${name}=${value}`);
  const { columns, rows } = size;
  const onExit = (exitCode: number, signal: number) => {
    outcome = { exitCode, signal };
    quiet = setTimeout(finish, QUIET_MS);
    sayLastWord();
  };
  const pty = native.fork(start.file, start.args, env, start.directory, columns, rows, -1, -1, true, '', onExit);
  const side = openSlaveSide(pty.pty);
  const stream = new ReadStream(pty.fd).setEncoding('utf8').on('data', take);
  // The terminal is closed; the outcome has the exit code.
  stream.on('error', () => finish());
  return {
    pid: pty.pid,
    write: (data) => void stream.write(data),
    resize: (newColumns, newRows) => native.resize(pty.fd, newColumns, newRows),
    ended: ended.promise,
  };
}

/**
 * Opens the slave side without blocking: a write to a full buffer would otherwise wait for this process itself to
 * read the buffer. Undefined if it cannot be opened.
 */
function openSlaveSide(name: string): number | undefined {
  try {
    return openSync(name, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

function loadNative(): Native {
  const require = createRequire(import.meta.url);
  const { requireBinary } = require('@lydell/node-pty/requireBinary.js') as { requireBinary(file: string): Native };
  return requireBinary('pty.node');
}
