import type { Message } from '../../src/base/index.ts';
import type {
  CompressedMessage,
  CompressionInput,
  ContextEngine,
  TokenMeter,
  WindowState,
} from '../../src/contracts/index.ts';

const CHARACTERS_PER_TOKEN = 4;

export type PlainEngine = ContextEngine & {
  /** The compression requests so far. */
  readonly inputs: readonly CompressionInput[];
  readonly windows: readonly WindowState[];
  readonly allowed: readonly string[];
};

export type PlainEngineOptions = {
  /** The share of the window at which it compresses. */
  threshold?: number;
  /** Default: keeps the first message, a line about the middle, and a tail. */
  compress?: ContextEngine['compress'];
};

/** A context engine with simple rules and no model, for tests of the agent. */
export function createPlainEngine({ threshold = 0.5, compress = keepEnds }: PlainEngineOptions = {}): PlainEngine {
  const [inputs, windows, allowed]: [CompressionInput[], WindowState[], string[]] = [[], [], []];
  return {
    name: 'plain',
    inputs,
    windows,
    allowed,
    shouldCompress(window) {
      windows.push(window);
      return window.tokens >= window.contextLength * threshold;
    },
    async compress(input) {
      inputs.push({ ...input, messages: [...input.messages] });
      input.signal.throwIfAborted();
      return compress(input);
    },
    allow: (_lineageId, why) => void allowed.push(why),
  };
}

/** The first message, a line, and a tail with long results truncated. */
const keepEnds: ContextEngine['compress'] = async ({ messages, tokensOf, fixedTokens, attempt, previewOnly }) => {
  const start = tailStart(messages, Math.max(8 - 2 * attempt, 1));
  if (start <= 1 && attempt < 3) return undefined;
  const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content.slice(0, 20));
  const line: Message = { role: 'assistant', content: `[${start - 1} messages left out; asked: ${said.join(' | ')}]` };
  const tail = messages.slice(start).map((message, offset) => shortened(message, start + offset));
  const kept: CompressedMessage[] = [{ index: 0 }, ...(previewOnly ? [] : [{ message: line }]), ...tail];
  const after = kept.map((one) => one.message ?? (messages[(one as { index: number }).index] as Message));
  const [tokensBefore, tokensAfter] = [fixedTokens + tokensOf(messages), fixedTokens + tokensOf(after)];
  return { messages: kept, summary: { by: 'extract' }, tokensBefore, tokensAfter };
};

/** Never between a call and its results. */
function tailStart(messages: readonly Message[], size: number): number {
  let start = Math.max(messages.length - size, 1);
  while (start > 1 && messages[start]?.role === 'tool') start -= 1;
  return start;
}

function shortened(message: Message, index: number): CompressedMessage {
  if (message.role !== 'tool' || message.content.length <= 200) return { index };
  return { index, message: { ...message, content: `${message.content.slice(0, 100)}…` } };
}

/** One token per four characters, for every model, without calibration. */
export function createPlainMeter(): TokenMeter & { readonly learnt: readonly [string, number, number][] } {
  const learnt: [string, number, number][] = [];
  const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN);
  return {
    learnt,
    ofMessages: (_model, messages) => messages.reduce((sum, message) => sum + tokens(message), 0),
    ofFixed: (_model, system, tools) => tokens(system) + tokens(tools),
    calibrate: (model, guessed, counted) => void learnt.push([model, guessed, counted]),
  };
}
