import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PromptSource } from '../contracts/index.ts';
import { environmentLayer, guidanceLayer, identityLayer, sessionLayer, type Workplace } from './layers.ts';

export type PromptSourceOptions = Workplace & {
  /** The folder that may hold SOUL.md, the user's own words for who the agent is. */
  home: string;
};

/** Puts the layers of the system prompt together, in a fixed order. */
export function createPromptSource(options: PromptSourceOptions): PromptSource {
  return {
    async build(context) {
      const layers = [
        identityLayer(await readSoul(options.home)),
        guidanceLayer(context),
        context.systemMessage?.trim(),
        sessionLayer(context),
        environmentLayer(options),
      ];
      return layers.filter((layer) => layer !== undefined && layer !== '').join('\n\n');
    },
  };
}

async function readSoul(home: string): Promise<string | undefined> {
  try {
    return await readFile(join(home, 'SOUL.md'), 'utf8');
  } catch {
    return undefined; // Most homes have none; one that cannot be read must not stop a session.
  }
}
