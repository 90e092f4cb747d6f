import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PromptContext, PromptSource } from '../contracts/index.ts';
import { describeFindings, scanText } from '../scanning/index.ts';
import { environmentLayer, guidanceLayer, identityLayer, sessionLayer, type Workplace } from './layers.ts';

export type PromptSourceOptions = Workplace & {
  /** The folder that may hold SOUL.md, the user's own words for who the agent is. */
  home: string;
  /** The memory blocks, with their headings, as this session is to see them. Asked once per prompt. */
  memory?(): Promise<MemoryBlocks>;
  /** The skill index, with its heading; told the tools, because requirements of skills depend on them. */
  skills?(toolNames: readonly string[]): Promise<string | undefined>;
};

/** `external` is what a memory provider says about itself; the others are the snapshots. */
export type MemoryBlocks = { memory?: string | undefined; user?: string | undefined; external?: string | undefined };

export type PromptLayer = { name: string; text: string };

/** A prompt that can also be looked at layer by layer. */
export interface LayeredPromptSource extends PromptSource {
  layers(context: PromptContext): Promise<PromptLayer[]>;
}

/** Puts the layers of the system prompt together, in a fixed order. */
export function createPromptSource(options: PromptSourceOptions): LayeredPromptSource {
  async function layers(context: PromptContext): Promise<PromptLayer[]> {
    const soul = await readSoul(options.home);
    const memory = await options.memory?.();
    const skills = await options.skills?.(context.toolNames);
    return [
      { name: soul?.trim() ? 'SOUL.md' : 'identity', text: identityLayer(soul) },
      { name: 'guidance', text: guidanceLayer(context) ?? '' },
      { name: 'external memory', text: memory?.external ?? '' },
      { name: 'system message', text: context.systemMessage?.trim() ?? '' },
      { name: 'memory', text: memory?.memory ?? '' },
      { name: 'user profile', text: memory?.user ?? '' },
      { name: 'skills', text: skills ?? '' },
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
    const text = await readFile(join(home, 'SOUL.md'), 'utf8');
    const findings = await scanText(text, 'context');
    return findings.length === 0 ? text : `[SOUL.md was blocked: it ${describeFindings(findings)}]`;
  } catch {
    return undefined; // Most homes have none; one that cannot be read must not stop a session.
  }
}
