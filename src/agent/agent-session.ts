import {
  type AssistantMessage,
  type Clock,
  isJsonObject,
  type Message,
  newSessionId,
  type ToolMessage,
} from '../base/index.ts';
import type { AgentToolState, CallRecord, ContextReduction, PromptContext, TodoItem } from '../contracts/index.ts';
import type { AgentOptions } from './agent-options.ts';

/** The session an agent works on, in memory and in the store; the two change only together. */
export interface AgentSession {
  readonly id: string;
  readonly history: readonly Message[];
  readonly systemPrompt: string;
  readonly toolState: AgentToolState;
  /** A cut of the history that a provider asked for; later requests make the same one. */
  reduction: ContextReduction | undefined;
  /** Reasoning that a provider refused to take back is left out of later requests. */
  readonly refusedReasoning: Set<'reasoningDetails' | 'codexReasoningItems'>;
  /** Loads or creates the session; calls that a crash left open are closed. */
  open(prompt: PromptContext, history: readonly Message[] | undefined): Promise<void>;
  /** Stores messages, then adds them to the history. */
  append(messages: readonly Message[], call?: CallRecord): Promise<void>;
}

const UNKNOWN_OUTCOME =
  'The program ended before this call had a stored result. It may have run in part or in full: check before doing it again.';

export function createAgentSession(options: AgentOptions, clock: Clock): AgentSession {
  const { store } = options;
  const id = options.sessionId ?? newSessionId(clock.now());
  let history: Message[] = [];
  let systemPrompt = '';
  let opened = false;

  async function append(messages: readonly Message[], call?: CallRecord): Promise<void> {
    await store.appendMessages(id, messages, call);
    history.push(...messages);
  }

  async function create(prompt: PromptContext, given: readonly Message[]): Promise<void> {
    systemPrompt = await options.prompt.build(prompt);
    const { source } = options;
    await store.createSession({ id, source, startedAt: clock.now(), model: prompt.model, systemPrompt });
    if (given.length > 0) await append(given);
  }

  async function resume(stored: { systemPrompt: string | undefined; endedAt: number | undefined }): Promise<void> {
    history = await store.getConversation(id);
    session.toolState.todos = restoreTodos(history);
    systemPrompt = stored.systemPrompt ?? '';
    if (stored.endedAt !== undefined) await store.reopenSession(id);
    const closing = closingResults(history, UNKNOWN_OUTCOME);
    if (closing.length > 0) await append(closing);
  }

  async function load(prompt: PromptContext, given: readonly Message[] | undefined): Promise<void> {
    const stored = await store.getSession(id);
    if (stored) await resume(stored);
    else await create(prompt, given ?? []);
  }

  async function rebuildPrompt(prompt: PromptContext): Promise<void> {
    systemPrompt = await options.prompt.build(prompt);
    await store.setSystemPrompt(id, systemPrompt);
  }

  const session: AgentSession = {
    id,
    reduction: undefined,
    refusedReasoning: new Set(),
    toolState: { todos: [], approvedRules: new Set() },
    get history() {
      return history;
    },
    get systemPrompt() {
      return systemPrompt;
    },
    append,
    async open(prompt, given) {
      if (!opened) await load(prompt, given);
      opened = true;
      if (given) history = [...given];
      if (isStale(systemPrompt, prompt)) await rebuildPrompt(prompt);
    },
  };
  return session;
}

/** Stored results for the calls of the newest assistant message that have none. */
export function closingResults(history: readonly Message[], content: string): ToolMessage[] {
  const last = history.findLastIndex((message) => message.role === 'assistant');
  const calls = (history[last] as AssistantMessage | undefined)?.toolCalls ?? [];
  const after = history.slice(last + 1);
  // Once a user message follows, the place for results has passed; the request copy is repaired instead.
  if (after.some((message) => message.role === 'user')) return [];
  const answered = new Set(after.map((message) => (message.role === 'tool' ? message.toolCallId : '')));
  return calls
    .filter((call) => !answered.has(call.id))
    .map((call) => ({ role: 'tool', toolCallId: call.id, toolName: call.name, content }));
}

/** A prompt without the system message it should have; a session of another program may come without any. */
function isStale(systemPrompt: string, { systemMessage }: PromptContext): boolean {
  return systemPrompt === '' || (systemMessage !== undefined && !systemPrompt.includes(systemMessage.trim()));
}

/** The to-do list as the newest result of the `todo` tool shows it. */
function restoreTodos(history: readonly Message[]): TodoItem[] {
  const newest = history.findLast((message) => message.role === 'tool' && message.toolName === 'todo');
  if (newest?.role !== 'tool') return [];
  try {
    const parsed: unknown = JSON.parse(newest.content);
    const todos = isJsonObject(parsed) ? parsed['todos'] : undefined;
    return Array.isArray(todos) ? (todos.filter(isJsonObject) as unknown as TodoItem[]) : [];
  } catch {
    return [];
  }
}
