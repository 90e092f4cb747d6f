import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError } from '../../base/index.ts';
import { fileErrorReason } from '../../util/index.ts';
import type { CliIo } from './cli-io.ts';
import { MAX_INPUT, readAll } from './read-input.ts';

const STANDARD_INPUT = '-';

/** Reads the prompt of `--query-file`. If the file is `-`, stdin is the prompt and is not added as context. */
export async function readPrompt(file: string, io: CliIo): Promise<string> {
  const text =
    file === STANDARD_INPUT ? await readStandardInput(io) : await readFile(resolve(io.workingDirectory, file));
  if (text.trim() !== '') return text;
  const name = file === STANDARD_INPUT ? 'Standard input' : file;
  throw new ConfigurationError(`${name} is empty, so there is no prompt.`, {
    hint: file === STANDARD_INPUT ? 'Pipe the prompt into the command.' : 'Write the prompt to the file.',
  });
}

/** With `-` the prompt can also be typed in a terminal, up to Ctrl-D. */
async function readStandardInput(io: CliIo): Promise<string> {
  return io.inputKind === 'none' ? '' : readAll(io.stdin);
}

/** Reads a text file that was named on the command line. A file that cannot be read is a usage error. */
export async function readFile(path: string): Promise<string> {
  try {
    const handle = await open(path, 'r');
    try {
      const stats = await handle.stat();
      if (stats.isDirectory()) throw new Error('it is a directory');
      if (stats.size > MAX_INPUT) throw new Error(`it is larger than ${MAX_INPUT / 1024 / 1024} MiB`);
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    throw new ConfigurationError(`Cannot read ${path}: ${fileErrorReason(thrown)}.`, {
      hint: 'Pass a text file that exists and that you may read.',
      cause: thrown,
    });
  }
}
