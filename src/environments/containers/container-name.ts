import { createHash, randomBytes } from 'node:crypto';
import { basename } from 'node:path';

export type ContainerNaming = { workingDirectory: string; persistent: boolean; rules: readonly unknown[] };

/** The same for the same folder and rules, so that it is found again; one that is not kept has a name of its own. */
export function nameContainer({ workingDirectory, persistent, rules }: ContainerNaming): string {
  const folder = basename(workingDirectory)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  const own = persistent ? createHash('sha256').update(JSON.stringify(rules)).digest() : randomBytes(6);
  return ['hermes', folder.slice(0, 24), own.toString('hex').slice(0, 12)].filter((part) => part !== '').join('-');
}
