import type { FoundPlugin } from '../../../plugins/index.ts';
import { describeFault } from '../../../plugins/index.ts';
import { describeProvisions } from '../../text/plugins-text.ts';
import { formatPairs } from '../../text/table.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { findAll, noSuchPlugin, toRecord } from './find-all.ts';

/** All that a plugin says of itself; none of its code runs. */
export async function showPlugin(name: string, { json }: { json?: boolean }, io: CliIo): Promise<number> {
  const { plugins } = await findAll(io);
  const plugin = plugins.find((one) => one.name === name);
  if (plugin === undefined) throw noSuchPlugin(name, plugins);
  if (json) writeJson(io.stdout, toRecord(plugin));
  else io.stdout.write(formatPlugin(plugin, io.stdout.columns));
  return 0;
}

export function formatPlugin(plugin: FoundPlugin, columns: number | undefined): string {
  const { name, manifest, folder, origin, state, fault } = plugin;
  return formatPairs(
    [
      ['plugin', [name, manifest?.version].filter(Boolean).join(' ')],
      ...(manifest?.description ? [['about', manifest.description] as const] : []),
      ['state', fault === undefined ? STATES[state] : `${STATES[state]}: ${describeFault(fault)}`],
      ['folder', `${folder} (${origin})`],
      ...(manifest?.leastHost === undefined ? [] : [['wants', `Hermes ${manifest.leastHost} or newer`] as const]),
      ...describeProvisions(manifest),
    ],
    columns,
  );
}

const STATES: Readonly<Record<FoundPlugin['state'], string>> = {
  on: 'enabled',
  off: 'not enabled',
  untrusted: 'not used: its project is not trusted',
  faulty: 'enabled, and cannot be used',
};
