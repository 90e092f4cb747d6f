import type { CliIo } from '../cli-io.ts';
import { formatPlugins } from '../../text/plugins-text.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle } from '../style.ts';
import { findAll, toRecord } from './find-all.ts';

export async function listPlugins({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const { plugins } = await findAll(io);
  if (json) {
    writeJson(io.stdout, { plugins: plugins.map(toRecord) });
    return 0;
  }
  const none = 'There are no plugins. docs/plugins.md says what they are and where they belong.\n';
  io.stdout.write(plugins.length === 0 ? none : formatPlugins(plugins, createStyle(io.stdout, io.env)));
  return 0;
}
