import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError } from '../../../base/index.ts';
import { fileErrorReason } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';

/** The bytes of a file that was named on the command line. */
export async function openInput(name: string, io: CliIo): Promise<AsyncIterable<Uint8Array>> {
  if (name === '-') return io.stdin;
  return createReadStream(await requireReadable(name, io), { highWaterMark: 1024 * 1024 });
}

/** Its whole path, once it is sure that something can be read there. */
export async function requireReadable(name: string, io: CliIo): Promise<string> {
  const file = resolve(io.workingDirectory, name);
  const fault = await stat(file).then(
    (found) => (found.isDirectory() ? 'it is a folder' : undefined),
    (thrown: unknown) => fileErrorReason(thrown),
  );
  if (fault === undefined) return file;
  throw new ConfigurationError(`${file} cannot be read: ${fault}.`, { hint: 'Name a file of JSON lines.' });
}
