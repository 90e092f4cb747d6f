import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PromptContext, PromptSource } from '../contracts/index.ts';
import { environmentLayer, guidanceLayer, identityLayer, sessionLayer, type Workplace } from './layers.ts';

export type PromptSourceOptions = Workplace & {
  /** The folder that may hold SOUL.md, the user's own words for who the agent is. */
  home: string;
};

export type PromptLayer = { name: string; text: string };

/** A prompt that can also be looked at layer by layer. */
export interface LayeredPromptSource extends PromptSource {
  layers(context: PromptContext): Promise<PromptLayer[]>;
}

/** Puts the layers of the system prompt together, in a fixed order. */
export function createPromptSource(options: PromptSourceOptions): LayeredPromptSource {
  async function layers(context: PromptContext): Promise<PromptLayer[]> {
    const soul = await readSoul(options.home);
    return [
      { name: soul?.trim() ? 'SOUL.md' : 'identity', text: identityLayer(soul) },
      { name: 'guidance', text: guidanceLayer(context) ?? '' },
      { name: 'system message', text: context.systemMessage?.trim() ?? '' },
      { name: 'session', text: sessionLayer(context) },
      { name: 'environment', text: environmentLayer(options) },
    ].filter(({ text }) => text !== '');
  }
  return {
    layers,
    build: async (context) => (await layers(context)).map(({ text }) => text).join('\n\n'),
  };
}

async function readSoul(home: string): Promise<string | undefined> {
  try {
    return await readFile(join(home, 'SOUL.md'), 'utf8');
  } catch {
    return undefined; // Most homes have none; one that cannot be read must not stop a session.
  }
}
