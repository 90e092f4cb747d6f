import { kindsOfEntries } from '../../../approvals/index.ts';
import { loadSettings, resolveHome } from '../../../config/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, showable } from '../style.ts';

/** What the allow-list holds, and how each entry is taken. */
export async function listAllowed({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const { commandAllowlist, approvals } = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const entries = await kindsOfEntries(commandAllowlist);
  if (json) {
    writeJson(io.stdout, { mode: approvals.mode, allowed: entries, denied: approvals.deny ?? [] });
    return 0;
  }
  const style = createStyle(io.stdout, io.env);
  const lines = entries.map(({ entry, kind }) => `${style.dim(kind.padEnd(8))} ${showable(entry)}\n`);
  const denied = (approvals.deny ?? []).map((pattern) => `${style.red('denied'.padEnd(8))} ${showable(pattern)}\n`);
  io.stdout.write([...lines, ...denied].join('') || 'Nothing is allowed for good.\n');
  return 0;
}
