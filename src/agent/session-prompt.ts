import type { PromptContext, PromptSource, SessionRecord, SessionStore } from '../contracts/index.ts';

/** The system prompt of a session: built once, stored, and built anew only where the person changed what it is made of. */
export interface SessionPrompt {
  readonly text: string;
  /** For a new session. */
  build(prompt: PromptContext, startedAt: number): Promise<string>;
  restore(stored: SessionRecord): void;
  /** Builds and stores it anew where it has another model in it, or lacks a system message that it should have. */
  update(prompt: PromptContext): Promise<boolean>;
}

export function createSessionPrompt(source: PromptSource, store: SessionStore, id: string): SessionPrompt {
  let text = '';
  /** Which model it names, as far as that is known. */
  let named: { model?: string; provider?: string } = {};
  let startedAt = 0;
  return {
    get text() {
      return text;
    },
    async build(prompt, now) {
      text = await source.build(prompt);
      [named, startedAt] = [prompt, now];
      return text;
    },
    restore(stored) {
      text = stored.systemPrompt ?? '';
      named = { model: stored.model };
      ({ startedAt } = stored);
    },
    async update(prompt) {
      if (!isStale(text, prompt) && !isOther(named, prompt)) return false;
      // The day on which the session began stays the same.
      text = await source.build({ ...prompt, now: startedAt });
      await store.setSystemPrompt(id, text);
      if (named.model !== prompt.model) await store.setSessionModel(id, prompt.model);
      named = prompt;
      return true;
    },
  };
}

/** A prompt without the system message it should have; a session of another program may come without any. */
function isStale(text: string, { systemMessage }: PromptContext): boolean {
  return text === '' || (systemMessage !== undefined && !text.includes(systemMessage.trim()));
}

/** Another model was chosen than the one the prompt names. A session of another program may not say which that is. */
function isOther(named: { model?: string; provider?: string }, { model, provider }: PromptContext): boolean {
  return (named.model ?? model) !== model || (named.provider ?? provider) !== provider;
}
