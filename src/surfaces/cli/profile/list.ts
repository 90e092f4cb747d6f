import { listProfiles, profileRoot } from '../../../config/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, showable } from '../style.ts';
import { gatherFacts } from './profile-facts.ts';

export async function listAllProfiles({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const names = await listProfiles(profileRoot(io.env));
  const profiles = await Promise.all(names.map((name) => gatherFacts(name, io)));
  if (json) {
    writeJson(io.stdout, { profiles });
    return 0;
  }
  const style = createStyle(io.stdout, io.env);
  const width = Math.max(...names.map((name) => name.length));
  for (const { name, inUse, model, home } of profiles) {
    const mark = inUse ? style.green('*') : ' ';
    const about = [model ?? 'no model yet', style.dim(home)].map(showable).join('  ');
    io.stdout.write(`${mark} ${name.padEnd(width)}  ${about}\n`);
  }
  return 0;
}
