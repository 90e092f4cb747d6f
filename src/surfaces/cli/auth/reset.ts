import { loadSettings, resolveHome } from '../../../config/index.ts';
import { allOwners, findOwner, resetCredentials } from '../../../providers/credentials/index.ts';
import type { CliIo } from '../cli-io.ts';

export async function resetAuth(provider: string | undefined, io: CliIo): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const owners = provider === undefined ? allOwners(settings) : [findOwner(settings, provider)];
  const count = await resetCredentials(settings, owners);
  if (count === 0) io.stdout.write('Nothing rested and nothing was marked.\n');
  else io.stdout.write(`${count === 1 ? '1 credential is' : `${count} credentials are`} used again.\n`);
  return 0;
}
