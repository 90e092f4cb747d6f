import type { Readable } from 'node:stream';
import { ConfigurationError } from '../../base/index.ts';
import type { CliIo } from './cli-io.ts';

/** More than any model can read; larger input was probably piped by mistake. */
export const MAX_INPUT = 16 * 1024 * 1024;

/** How long Hermes waits for the first byte on a socket that the parent program left open. */
const SOCKET_TIMEOUT_MS = 1_000;

type InputOptions = {
  /** Give up if no byte arrives within this time. Default: wait for the end of the input. */
  timeoutMs?: number;
};

/**
 * Reads stdin unless it is a terminal. A pipe or file is read to the end, however long that takes. Programs that
 * start Hermes often leave an unused socket as stdin, so a socket is waited for only briefly.
 */
export async function readInput(io: CliIo, options: InputOptions = {}): Promise<string> {
  if (io.inputKind === 'terminal' || io.inputKind === 'none') return '';
  const { stdin } = io;
  const timeoutMs = options.timeoutMs ?? (io.inputKind === 'socket' ? SOCKET_TIMEOUT_MS : undefined);
  if (timeoutMs !== undefined && !(await waitForFirstByte(stdin, timeoutMs))) {
    stdin.destroy();
    return '';
  }
  return readAll(stdin);
}

/** Whether data or the end of the stream arrives before the timeout. */
function waitForFirstByte(stdin: Readable, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (something: boolean) => {
      clearTimeout(timer);
      for (const name of ['readable', 'end', 'error']) stdin.off(name, onEvent);
      resolve(something);
    };
    const onEvent = () => finish(true);
    const timer = setTimeout(() => finish(false), timeoutMs);
    for (const name of ['readable', 'end', 'error']) stdin.once(name, onEvent);
  });
}

export async function readAll(stdin: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stdin as AsyncIterable<Buffer | string>) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    pieces.push(bytes);
    size += bytes.length;
    if (size > MAX_INPUT) {
      throw new ConfigurationError(`Standard input is larger than ${MAX_INPUT / 1024 / 1024} MiB.`, {
        hint: 'Save it to a file and mention the file in the prompt.',
      });
    }
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Appends stdin to the prompt as context; without a prompt, stdin is the prompt. */
export function joinPrompt(prompt: string | undefined, input: string): string {
  const words = prompt?.trim() ?? '';
  const context = input.trim();
  if (words === '') return context;
  return context === '' ? words : `${words}\n\n${context}`;
}
