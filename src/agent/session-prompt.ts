import type { PromptContext, PromptSource, SessionRecord, SessionStore } from '../contracts/index.ts';

/** The system prompt of a session: built once, stored, and rebuilt only if the user changed something it depends on. */
export interface SessionPrompt {
  readonly text: string;
  /** The model that the prompt names. */
  readonly model: string | undefined;
  /** Builds the prompt of a new session. */
  build(prompt: PromptContext, startedAt: number): Promise<string>;
  restore(stored: SessionRecord): void;
  /**
   * Rebuilds and stores the prompt if it names another model, lacks the system message, was built for other tools, or
   * if `renew` was called. Returns whether it did.
   */
  update(prompt: PromptContext): Promise<boolean>;
  /** Forces a rebuild at the next update. */
  renew(): void;
}

/** `id` returns the current session id: compression changes the id but not the prompt. */
export function createSessionPrompt(source: PromptSource, store: SessionStore, id: () => string): SessionPrompt {
  let text = '';
  /** The model that the prompt names, if known. */
  let named: { model?: string; provider?: string } = {};
  let startedAt = 0;
  let isRenewalDue = false;
  /** The prompts of models that were switched away from: switching back finds what their providers have cached. */
  let left: EarlierPrompt[] = [];

  function isUnusable(candidate: string, prompt: PromptContext): boolean {
    if (isRenewalDue || isStale(candidate, prompt)) return true;
    return !prompt.keepsTools && (source.isForOtherTools?.(candidate, prompt.toolNames) ?? false);
  }

  /** The prompt that this session had for the same model before. */
  function findEarlier(prompt: PromptContext): string | undefined {
    const isUsable = (earlier: EarlierPrompt) => !isOther(earlier, prompt) && !isUnusable(earlier.text, prompt);
    return left.find(isUsable)?.text;
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
      [named, startedAt] = [{ model: prompt.model, provider: prompt.provider }, now];
      return text;
    },
    restore(stored) {
      // A prompt that came with an import could contain anything: it is built again before the first request.
      text = stored.isPromptImported ? '' : (stored.systemPrompt ?? '');
      named = { model: stored.model };
      ({ startedAt } = stored);
    },
    async update(prompt) {
      if (!isUnusable(text, prompt) && !isOther(named, prompt)) return false;
      if (isUnusable(text, prompt)) left = [];
      else left = [{ ...named, text }, ...left];
      // The prompt keeps the date on which the session began.
      text = findEarlier(prompt) ?? (await source.build({ ...prompt, now: startedAt, sessionId: id() }));
      isRenewalDue = false;
      await store.setSystemPrompt(id(), text);
      if (named.model !== prompt.model) await store.setSessionModel(id(), prompt.model);
      named = { model: prompt.model, provider: prompt.provider };
      return true;
    },
    renew() {
      isRenewalDue = true;
    },
  };
}

type EarlierPrompt = { model?: string; provider?: string; text: string };

/** Whether the prompt lacks the system message. Sessions written by another program may have no prompt at all. */
function isStale(text: string, { systemMessage }: PromptContext): boolean {
  return text === '' || (systemMessage !== undefined && !text.includes(systemMessage.trim()));
}

/** Whether the prompt names another model. Sessions written by another program may not say which model they used. */
function isOther(named: { model?: string; provider?: string }, { model, provider }: PromptContext): boolean {
  return (named.model ?? model) !== model || (named.provider ?? provider) !== provider;
}
