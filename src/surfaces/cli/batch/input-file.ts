import { resolve } from 'node:path';
import { ConfigurationError } from '../../../base/index.ts';
import { assertRegularFile } from '../../batch/index.ts';
import type { CliIo } from '../cli-io.ts';

/** The file with the prompts, passed as an argument or with `--input`. Checked before the model and the queue. */
export async function requireInput(
  given: string | undefined,
  option: string | undefined,
  command: string,
  io: CliIo,
): Promise<string> {
  const hint = `For example: hermes ${command} --input prompts.jsonl${command === 'batch run' ? ' --output out' : ''}`;
  if (given !== undefined && option !== undefined)
    throw new ConfigurationError(`More than one file with prompts was given: ${given} and ${option}.`, { hint });
  const file = given ?? option;
  if (file === undefined) throw new ConfigurationError(`\`hermes ${command}\` requires a file with prompts.`, { hint });
  const path = resolve(io.workingDirectory, file);
  await assertRegularFile(path);
  return path;
}
