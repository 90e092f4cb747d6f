import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadSettings, profileHome, profileRoot, resolveHome } from '../../../config/index.ts';
import type { CliIo } from '../cli-io.ts';

export type ProfileFacts = {
  name: string;
  home: string;
  /** This command runs in it. */
  inUse: boolean;
  model: string | undefined;
  storeBytes: number;
};

/** What can be told of a profile without opening anything of it. */
export async function gatherFacts(name: string, io: CliIo): Promise<ProfileFacts> {
  const home = profileHome(profileRoot(io.env), name);
  const model = await modelOf(home, io);
  const sizes = ['state.db', 'hermes.db'].map(
    (file) => statSync(join(home, file), { throwIfNoEntry: false })?.size ?? 0,
  );
  return { name, home, inUse: resolveHome(io.env) === home, model, storeBytes: Math.max(...sizes) };
}

async function modelOf(home: string, io: CliIo): Promise<string | undefined> {
  if (!existsSync(join(home, 'config.yaml'))) return undefined;
  try {
    const { model } = await loadSettings({ home, env: io.env });
    return [model.provider, model.model].filter((part) => part !== undefined).join('/') || undefined;
  } catch {
    // What is wrong with it is told by whoever uses it.
    return 'config.yaml cannot be read';
  }
}
