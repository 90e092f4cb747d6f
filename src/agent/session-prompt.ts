import type { PromptContext, PromptSource, SessionRecord, SessionStore } from '../contracts/index.ts';

/** The system prompt of a session: built once, stored, and built anew only where the person changed what it is made of. */
export interface SessionPrompt {
  readonly text: string;
  /** The model that it names. */
  readonly model: string | undefined;
  /** For a new session. */
  build(prompt: PromptContext, startedAt: number): Promise<string>;
  restore(stored: SessionRecord): void;
  /**
   * Builds and stores it anew where it has another model in it, lacks a system message that it should have, was made for
   * other tools, or is wanted anew; whether it did.
   */
  update(prompt: PromptContext): Promise<boolean>;
  /** It is built anew with the next update. */
  renew(): void;
}

/** `id` is that of the session now: a compression changes it and leaves the prompt as it is. */
export function createSessionPrompt(source: PromptSource, store: SessionStore, id: () => string): SessionPrompt {
  let text = '';
  /** Which model it names, as far as that is known. */
  let named: { model?: string; provider?: string } = {};
  let startedAt = 0;
  let wantedAnew = false;

  function isOutdated(prompt: PromptContext): boolean {
    if (wantedAnew || isStale(text, prompt) || isOther(named, prompt)) return true;
    return source.isForOtherTools?.(text, prompt.toolNames) ?? false;
  }

  return {
    get text() {
      return text;
    },
    get model() {
      return named.model;
    },
    async build(prompt, now) {
      text = await source.build({ ...prompt, sessionId: id() });
      [named, startedAt] = [prompt, now];
      return text;
    },
    restore(stored) {
      text = stored.systemPrompt ?? '';
      named = { model: stored.model };
      ({ startedAt } = stored);
    },
    async update(prompt) {
      if (!isOutdated(prompt)) return false;
      // The day on which the session began stays the same.
      text = await source.build({ ...prompt, now: startedAt, sessionId: id() });
      wantedAnew = false;
      await store.setSystemPrompt(id(), text);
      if (named.model !== prompt.model) await store.setSessionModel(id(), prompt.model);
      named = prompt;
      return true;
    },
    renew() {
      wantedAnew = true;
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
