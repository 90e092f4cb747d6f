import { loadSettings, resolveHome } from '../../../config/index.ts';
import { findOwner, findStored, removeCredential } from '../../../providers/credentials/index.ts';
import type { CliIo } from '../cli-io.ts';
import { confirm } from '../sessions/confirm.ts';
import { showable } from '../style.ts';

export async function removeAuth(
  provider: string,
  reference: string | undefined,
  { yes }: { yes?: boolean },
  io: CliIo,
): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const owner = findOwner(settings, provider);
  const { id, label } = findStored(settings, owner, reference);
  if (!(await confirm(`Remove ${label} of ${owner.name} for good?`, yes, io))) return 1;
  await removeCredential(settings, owner, id);
  io.stdout.write(`Removed ${showable(label)} of ${owner.name}.\n`);
  return 0;
}
