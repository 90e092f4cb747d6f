import type { Readable } from 'node:stream';
import { ConfigurationError } from '../../base/index.ts';
import type { CliIo } from './cli-io.ts';

/** More than any model reads; beyond it someone piped the wrong thing. */
export const MAX_INPUT = 16 * 1024 * 1024;

/** How long a program that started us may leave its end of a socket open without a word. */
const SOCKET_PATIENCE_MS = 1_000;

type InputOptions = {
  /** After so long without a first byte there is no input; left out, its end is waited for. */
  patienceMs?: number;
};

/**
 * What stands on standard input, where that is not a terminal. A shell's pipe or file is read to its end, however long
 * that takes. A program that starts another often leaves a socket there that it never uses: that is not waited for.
 */
export async function readInput(io: CliIo, options: InputOptions = {}): Promise<string> {
  if (io.inputKind === 'terminal' || io.inputKind === 'none') return '';
  const { stdin } = io;
  const patienceMs = options.patienceMs ?? (io.inputKind === 'socket' ? SOCKET_PATIENCE_MS : undefined);
  if (patienceMs !== undefined && !(await firstByte(stdin, patienceMs))) {
    stdin.destroy();
    return '';
  }
  return readAll(stdin);
}

/** Whether something comes, or the end, before the time is up. */
function firstByte(stdin: Readable, patienceMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (something: boolean) => {
      clearTimeout(timer);
      for (const name of ['readable', 'end', 'error']) stdin.off(name, onEvent);
      resolve(something);
    };
    const onEvent = () => finish(true);
    const timer = setTimeout(() => finish(false), patienceMs);
    for (const name of ['readable', 'end', 'error']) stdin.once(name, onEvent);
  });
}

/** Standard input to its end. */
export async function readAll(stdin: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stdin as AsyncIterable<Buffer | string>) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    pieces.push(bytes);
    size += bytes.length;
    if (size > MAX_INPUT) {
      throw new ConfigurationError(`Standard input is longer than ${MAX_INPUT / 1024 / 1024} MiB.`, {
        hint: 'Put it into a file and name the file in the prompt.',
      });
    }
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Standard input is context for a prompt, and the prompt itself where there is none. */
export function joinPrompt(prompt: string | undefined, input: string): string {
  const words = prompt?.trim() ?? '';
  const context = input.trim();
  if (words === '') return context;
  return context === '' ? words : `${words}\n\n${context}`;
}
