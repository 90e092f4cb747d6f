import { basename } from 'node:path';
import { DEFAULT_PROFILE, profileRoot, requireProfile, resolveHome } from '../../../config/index.ts';
import type { CliIo } from '../cli-io.ts';
import { formatBytes } from '../sessions/format-bytes.ts';
import { writeJson } from '../sessions/write-json.ts';
import { showable } from '../style.ts';
import { gatherFacts } from './profile-facts.ts';

export async function showProfile(given: string | undefined, { json }: { json?: boolean }, io: CliIo): Promise<number> {
  const root = profileRoot(io.env);
  const home = resolveHome(io.env);
  const name = given ?? (home === root ? DEFAULT_PROFILE : basename(home));
  requireProfile(root, name);
  const facts = await gatherFacts(name, io);
  if (json) {
    writeJson(io.stdout, facts);
    return 0;
  }
  const rows = [
    ['profile', `${name}${facts.inUse ? ' (in use)' : ''}`],
    ['home', facts.home],
    ['model', facts.model ?? `none yet: hermes -p ${name} setup`],
    ['sessions', facts.storeBytes === 0 ? 'none yet' : formatBytes(facts.storeBytes)],
  ] as const;
  io.stdout.write(showable(rows.map(([label, value]) => `${label.padEnd(8)}  ${value}\n`).join('')));
  return 0;
}
