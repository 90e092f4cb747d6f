import { kindsOfEntries } from '../../../approvals/index.ts';
import { ConfigurationError } from '../../../base/index.ts';
import { loadSettings, resolveHome, updateConfig } from '../../../config/index.ts';
import { nearestNames } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, printable } from '../style.ts';

/** Lists the allow-list with the kind of each entry. */
export async function showAllowList({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const { commandAllowlist, approvals } = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const entries = await kindsOfEntries(commandAllowlist);
  if (json) {
    writeJson(io.stdout, { mode: approvals.mode, allowed: entries, denied: approvals.deny ?? [] });
    return 0;
  }
  const style = createStyle(io.stdout, io.env);
  const lines = entries.map(({ entry, kind }) => `${style.dim(kind.padEnd(8))} ${printable(entry)}\n`);
  const denied = (approvals.deny ?? []).map((pattern) => `${style.red('denied'.padEnd(8))} ${printable(pattern)}\n`);
  io.stdout.write([...lines, ...denied].join('') || 'The allow-list is empty.\n');
  return 0;
}

/** Removes an entry from the allow-list. */
export async function removeFromAllowList(entry: string, { json }: { json?: boolean }, io: CliIo): Promise<number> {
  const home = resolveHome(io.env);
  const { commandAllowlist } = await loadSettings({ home, env: io.env });
  if (!commandAllowlist.includes(entry)) {
    const [near] = nearestNames(entry, [...commandAllowlist], 1);
    throw new ConfigurationError(`"${printable(entry)}" is not on the allow-list.`, {
      hint: near === undefined ? '`hermes approvals list` shows the entries.' : `Did you mean "${printable(near)}"?`,
    });
  }
  await updateConfig(home, [{ path: ['command_allowlist'], remove: entry }]);
  if (json) writeJson(io.stdout, { forgotten: entry });
  else io.stdout.write(`Removed "${printable(entry)}" from the allow-list.\n`);
  return 0;
}
