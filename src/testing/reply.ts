import { HermesError, type JsonObject, newId, type ToolCall, type Usage } from '../base/index.ts';

export type ReplyFinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'refusal';

export type ReplyToolCall = {
  /** Generated if missing; an empty id is sent as it is, as some providers do. */
  id?: string;
  name: string;
  /** A string is sent unchanged, valid JSON or not. */
  arguments: string | JsonObject;
};

/** A response of a scripted model, independent of the API mode. */
export type ReplyContent = {
  text?: string;
  reasoning?: string;
  toolCalls?: readonly ReplyToolCall[];
  /** Default: `tool_calls` if there are calls, otherwise `stop`. */
  finishReason?: ReplyFinishReason;
  /** Missing counts are estimated from lengths; cache counts default to 0. */
  usage?: Partial<Usage>;
  /** Characters per streamed chunk. */
  chunkSize?: number;
  /** Delay between two streamed chunks. */
  delayMs?: number;
};

/** One reply of the provider server: a response, or a fault. */
export type Reply = ReplyContent & { fault?: Fault };

/** A failure of an HTTP provider. Events are counted from 1 as they are written. */
export type Fault =
  /** An error response in the API mode's format, or with the given `body`. */
  | {
      type: 'status';
      status: number;
      message?: string;
      /** OpenAI's `error.code`, Anthropic's `error.type`. */
      code?: string;
      body?: string | JsonObject;
      headers?: Record<string, string>;
      /** Seconds, or an HTTP date. */
      retryAfter?: number | string;
    }
  /** No data until the client disconnects: before the headers, or after this many events (0: after the headers). */
  | { type: 'stall'; afterEvents?: number }
  /** Data without content until the client disconnects: keep-alives, events without text, or bytes of one event. */
  | { type: 'no-content'; sends: 'keep-alives' | 'empty-events' | 'bytes' }
  /** The connection breaks after this many bytes of the body. */
  | { type: 'cut'; afterBytes: number }
  /** The response ends normally but without a finish reason. */
  | { type: 'cut-clean'; afterEvents?: number }
  /** The connection is reset before the headers. */
  | { type: 'reset' }
  /**
   * Event number `afterEvents + 1`, or the whole response, has truncated JSON; the following events are sent
   * normally.
   */
  | { type: 'malformed-json'; afterEvents?: number }
  /** An HTML page, as from a proxy. */
  | { type: 'wrong-content-type'; status?: number }
  /** The headers are sent after this many milliseconds, or when the promise settles. */
  | { type: 'slow-headers'; wait: number | Promise<unknown> }
  /** The text is padded to this many characters and sent in one chunk. */
  | { type: 'huge-chunk'; characters?: number }
  /** The correct headers without a body. */
  | { type: 'empty-body' }
  /** An error inside a response with status 200, after this many events. */
  | { type: 'error-event'; afterEvents?: number; message?: string; code?: string }
  /** Status 400 for a streaming request; other requests get the reply. */
  | { type: 'refuse-stream' };

/** A reply with all defaults filled in. */
export type PlannedReply = {
  text: string;
  reasoning: string;
  toolCalls: ToolCall[];
  /** Undefined for a response that ends without one. */
  finishReason: ReplyFinishReason | undefined;
  usage: Usage;
  chunkSize: number;
  delayMs: number;
};

/** Small enough that a short sentence arrives in several chunks. */
const DEFAULT_CHUNK_SIZE = 16;
/** A rule of thumb; tests that need exact counts pass them. */
const CHARACTERS_PER_TOKEN = 4;

export function planReply(reply: ReplyContent, inputCharacters: number): PlannedReply {
  const toolCalls = (reply.toolCalls ?? []).map(planToolCall);
  const text = reply.text ?? '';
  const reasoning = reply.reasoning ?? '';
  const written = toolCalls.reduce((sum, call) => sum + call.arguments.length, text.length + reasoning.length);
  return {
    text,
    reasoning,
    toolCalls,
    finishReason: reply.finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    usage: {
      input: guessTokens(inputCharacters),
      output: guessTokens(written),
      cacheRead: 0,
      cacheWrite: 0,
      reasoning: guessTokens(reasoning.length),
      ...reply.usage,
    },
    chunkSize: reply.chunkSize ?? DEFAULT_CHUNK_SIZE,
    delayMs: reply.delayMs ?? 0,
  };
}

function planToolCall(call: ReplyToolCall): ToolCall {
  // Random like a provider's ids: a session that continues with another server must not see the same id again.
  const id = call.id ?? newId('call');
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  return { id, name: call.name, arguments: text };
}

function guessTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Splits text into chunks of at most `size` UTF-16 units (at least one character), never inside a surrogate pair. */
export function chunkText(text: string, size: number): string[] {
  const chunks: string[] = [];
  let start = 0;
  while (start < text.length) {
    let end = Math.min(start + Math.max(1, size), text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += end - 1 > start ? -1 : 1;
    chunks.push(text.slice(start, end));
    start = end;
  }
  return chunks;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Replies in order, or a function of the request. */
export type Script<Request, R> = readonly R[] | ((request: Request) => R | Promise<R>);

export type ScriptOptions = {
  /** The last reply of a list is repeated for all further requests. */
  repeatLast?: boolean;
};

/** Returns the reply for each request; throws when a list is used up. */
export function createScriptReader<Request, R>(
  script: Script<Request, R>,
  options: ScriptOptions = {},
): (request: Request) => Promise<R> {
  let position = 0;
  return async (request) => {
    if (typeof script === 'function') return script(request);
    const index = options.repeatLast ? Math.min(position, script.length - 1) : position;
    position += 1;
    const reply = script[index];
    if (reply !== undefined) return reply;
    throw new HermesError(`The script has ${script.length} replies, but this is request ${position}.`, {
      hint: 'Add a reply, set repeatLast, or find out why there was another request.',
    });
  };
}
