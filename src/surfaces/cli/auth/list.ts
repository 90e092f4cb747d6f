import { homePaths, loadSettings, resolveHome } from '../../../config/index.ts';
import { type CredentialReport, listCredentials, type PoolReport } from '../../../providers/credentials/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { showable } from '../style.ts';
import { describeState } from './describe-state.ts';

export async function listAuth({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const pools = await loadPools(io);
  if (json) writeJson(io.stdout, pools);
  else io.stdout.write(pools.length === 0 ? nothing(io) : pools.map(poolLines).join('\n'));
  return 0;
}

export async function loadPools(io: CliIo): Promise<PoolReport[]> {
  const pools = await listCredentials(await loadSettings({ home: resolveHome(io.env), env: io.env }));
  return pools.filter(({ credentials }) => credentials.length > 0);
}

export function nothing(io: CliIo): string {
  return `There are no keys or logins yet. Add one with \`hermes auth add PROVIDER\`, or put a key into ${homePaths(resolveHome(io.env)).envFile}.\n`;
}

function poolLines({ provider, credentials }: PoolReport): string {
  const rows = credentials.map(columnsOf);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  '));
  return `${[provider, ...lines.map((line) => `  ${line.trimEnd()}`)].map(showable).join('\n')}\n`;
}

function columnsOf(credential: CredentialReport): string[] {
  const { id, label, kind, source, masked, uses } = credential;
  // What stands elsewhere has no id by which it could be removed here.
  const place = source.startsWith('env:') ? 'variable' : source === 'claude_code' ? 'file' : id;
  const state = `${describeState(credential)}${uses === 0 ? '' : `, used ${uses}×`}`;
  return [label, place, kind === 'oauth' ? 'login' : 'key', masked, state];
}
