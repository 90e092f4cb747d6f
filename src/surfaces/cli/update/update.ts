import { existsSync } from 'node:fs';
import { HermesError } from '../../../base/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { showable } from '../style.ts';
import { VERSION } from '../version.ts';
import { askRegistry } from './ask-registry.ts';
import { isNewer } from './compare-versions.ts';

export type UpdateOptions = { check?: boolean; json?: boolean };

export const PACKAGE = 'hermes-agent-ts';

/** A newer version is told, never installed: that is for whoever installed this one. */
export async function showUpdate({ check, json }: UpdateOptions, io: CliIo, signal: AbortSignal): Promise<number> {
  const command = howToUpdate();
  if (!check) {
    if (json) writeJson(io.stdout, { version: VERSION, command });
    else
      io.stdout.write(
        `This is ${VERSION}. Update with: ${command}\n\`hermes update --check\` asks for the newest version.\n`,
      );
    return 0;
  }
  const answer = await askRegistry(PACKAGE, io, signal);
  if ('fault' in answer) throw new HermesError(answer.fault, { hint: answer.hint });
  const newer = isNewer(answer.version, VERSION);
  if (json) writeJson(io.stdout, { version: VERSION, newest: answer.version, newer, command });
  else if (newer)
    io.stdout.write(showable(`${answer.version} is there; this is ${VERSION}. Update with: ${command}\n`));
  else
    io.stdout.write(showable(`This is ${VERSION}, and there is nothing newer (the registry has ${answer.version}).\n`));
  return 0;
}

/** A checkout is brought up to date in another way than an installed package. */
function howToUpdate(): string {
  const isCheckout = existsSync(new URL('../.git', import.meta.url));
  return isCheckout ? 'git pull && npm ci' : `npm install -g ${PACKAGE}@latest`;
}
