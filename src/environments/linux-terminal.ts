import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ReadStream } from 'node:tty';
import { beginningAtEnd } from '../util/index.ts';
import type { TerminalProgram, TerminalStart } from './pty-process.ts';

/** The machine code of the package for terminals, as its version of our lock file has it. */
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

/** How long a terminal that says nothing is listened to after its program has ended. */
const QUIET_MS = 1000;
const RETRY_MS = 5;

/**
 * A terminal whose output is read to its end. What reads terminals on Node 22 takes one that nobody has open any more for
 * read to its end, although the last lines are still to come. So the program's side stays open here as well, and when
 * the program has ended a word of ours goes in behind what it printed: once that comes out, all of it is there.
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

  /** The last word may come in pieces, and is not shown. */
  function take(text: string): void {
    quiet?.refresh();
    if (outcome === undefined) return onOutput(text);
    held += text;
    const at = held.indexOf(lastWord);
    const end = at < 0 ? held.length - beginningAtEnd(held, lastWord) : at;
    onOutput(held.slice(0, end));
    held = held.slice(end);
    if (at >= 0) finish();
  }

  function sayLastWord(): void {
    if (over || side === undefined) return;
    try {
      writeSync(side, lastWord);
    } catch {
      // It is full: what is in it has to be read first.
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
  const side = openSide(pty.pty);
  const stream = new ReadStream(pty.fd).setEncoding('utf8').on('data', take);
  // It is over, and the outcome says how.
  stream.on('error', () => finish());
  return {
    pid: pty.pid,
    write: (data) => void stream.write(data),
    resize: (newColumns, newRows) => native.resize(pty.fd, newColumns, newRows),
    ended: ended.promise,
  };
}

/** Not waited for when it is full: the one who could read it would be waiting. Undefined where it may not be opened. */
function openSide(name: string): number | undefined {
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
