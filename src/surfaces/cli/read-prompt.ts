import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError } from '../../base/index.ts';
import { fileErrorReason } from '../../util/index.ts';
import type { CliIo } from './cli-io.ts';
import { MAX_INPUT, readAll } from './read-input.ts';

const STANDARD_INPUT = '-';

/** The prompt of `--query-file`. Where that is standard input, nothing of it is left to be context. */
export async function readPrompt(file: string, io: CliIo): Promise<string> {
  const text =
    file === STANDARD_INPUT ? await readStandardInput(io) : await readFile(resolve(io.workingDirectory, file));
  if (text.trim() !== '') return text;
  const place = file === STANDARD_INPUT ? 'Standard input' : file;
  throw new ConfigurationError(`${place} is empty, so there is no prompt.`, {
    hint: 'Write what is to be done into it; - stands for standard input.',
  });
}

/** Also from a keyboard, until Ctrl-D: whoever writes `-` wants to type. */
async function readStandardInput(io: CliIo): Promise<string> {
  return io.inputKind === 'none' ? '' : readAll(io.stdin);
}

/** The text of a file that the command line names; what cannot be read is wrong usage. */
export async function readFile(path: string): Promise<string> {
  try {
    const handle = await open(path, 'r');
    try {
      const stats = await handle.stat();
      if (stats.isDirectory()) throw new Error('it is a folder');
      if (stats.size > MAX_INPUT) throw new Error(`it is longer than ${MAX_INPUT / 1024 / 1024} MiB`);
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    throw new ConfigurationError(`${path} cannot be read: ${fileErrorReason(thrown)}.`, {
      hint: 'Name a text file that is there and that you may read.',
      cause: thrown,
    });
  }
}
