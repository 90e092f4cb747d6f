import { createHash } from 'node:crypto';
import type { PromptLine } from './prompt-line.ts';

/** Knows prompts by what they are: the same one has the same key, wherever it stands in the file. */
export interface PromptKeys {
  /** The second line with the same content has a key of its own: it is asked for twice, and done twice. */
  next(content: string): string;
}

export function createPromptKeys(): PromptKeys {
  const seen = new Map<string, number>();
  return {
    next(content) {
      const hash = createHash('sha256').update(content).digest('base64url').slice(0, 22);
      const count = (seen.get(hash) ?? 0) + 1;
      seen.set(hash, count);
      return count === 1 ? hash : `${hash}.${count}`;
    },
  };
}

/** What makes a difference to the agent. Metadata is only passed on. */
export function contentOf({ text, image, directory, attachments }: PromptLine): string {
  return JSON.stringify([text, image ?? null, directory ?? null, attachments]);
}
