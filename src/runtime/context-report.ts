import { type Message, systemClock } from '../base/index.ts';
import type {
  CompressionThreshold,
  ContextEngine,
  SessionRecord,
  SessionStore,
  TokenMeter,
  ToolSet,
} from '../contracts/index.ts';
import type { LayeredPromptSource, PromptLayer } from '../prompt/index.ts';
import type { SessionModels } from './session-choices.ts';

/** A part of the context window and its estimated tokens. */
export type ContextPart = { name: string; tokens: number; parts?: readonly ContextPart[] };

export type ContextReport = {
  parts: readonly ContextPart[];
  tokens: number;
  /** Undefined if unknown. */
  window: number | undefined;
  /** Where automatic compression starts; `off` if it is disabled, undefined if unknown. */
  compression: CompressionThreshold | 'off' | undefined;
};

export type ReportParts = {
  store: Pick<SessionStore, 'getSession' | 'getConversation'>;
  meter: TokenMeter;
  tools: Pick<ToolSet, 'names' | 'definitions'>;
  prompt: LayeredPromptSource;
  models: SessionModels;
  context: Pick<ContextEngine, 'threshold'>;
  autoCompress: boolean;
};

/** Describes the next request of a session part by part. A session without messages has its prompt and tools only. */
export async function reportContext(sessionId: string, parts: ReportParts): Promise<ContextReport> {
  const { store, meter, tools, models } = parts;
  const [source] = models.routes();
  const route = `${source?.provider}/${source?.model}`;
  const window = (await models.openPrimary())?.contextLength;
  const session = await store.getSession(sessionId);
  const messages = session === undefined ? [] : await store.getConversation(sessionId);
  const ofText = (text: string) => meter.ofFixed(route, text, []);
  const definitions = await tools.definitions(window);
  const layers = (await layersOf(session, parts)).map(({ name, text }) => ({ name, tokens: ofText(text) }));
  const all = [
    { name: 'system prompt', tokens: sum(layers), parts: layers },
    { name: `tools (${definitions.length})`, tokens: meter.ofFixed(route, '', definitions) },
    historyPart(messages, (some) => meter.ofMessages(route, some)),
  ];
  const starts = window === undefined ? undefined : parts.context.threshold?.(window);
  return { parts: all, tokens: sum(all), window, compression: parts.autoCompress ? starts : 'off' };
}

/** Splits the stored prompt into its current layers; text that no longer matches a layer becomes one extra part. */
async function layersOf(
  session: SessionRecord | undefined,
  { prompt, tools, models }: ReportParts,
): Promise<PromptLayer[]> {
  const [source] = models.routes();
  const layers = await prompt.layers({
    model: source?.model ?? '',
    provider: source?.provider ?? '',
    systemMessage: undefined,
    toolNames: await tools.names(),
    now: session?.startedAt ?? systemClock.now(),
    sessionId: session?.id,
  });
  if (session?.systemPrompt === undefined) return layers;
  let rest = session.systemPrompt;
  const known = layers.filter(({ text }) => {
    const there = rest.includes(text);
    if (there) rest = rest.replace(text, () => '');
    return there;
  });
  return rest.trim() === '' ? known : [...known, { name: 'from the stored prompt', text: rest.trim() }];
}

const ROLES = { user: 'user', assistant: 'assistant', tool: 'tool results' } as const;

function historyPart(messages: readonly Message[], tokensOf: (messages: readonly Message[]) => number): ContextPart {
  const parts = Object.entries(ROLES).flatMap(([role, name]) => {
    const own = messages.filter((message) => message.role === role);
    return own.length === 0 ? [] : [{ name: `${name} (${own.length})`, tokens: tokensOf(own) }];
  });
  return { name: `history (${messages.length})`, tokens: sum(parts), parts };
}

function sum(parts: readonly { tokens: number }[]): number {
  return parts.reduce((all, { tokens }) => all + tokens, 0);
}
