import { HermesError, type JsonObject, newId, type ToolCall, type Usage } from '../base/index.ts';

export type ReplyFinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'refusal';

export type ReplyToolCall = {
  /** Made up and unique where left out; an empty one is sent empty, as some providers do. */
  id?: string;
  name: string;
  /** A string goes out exactly as it stands, valid JSON or not. */
  arguments: string | JsonObject;
};

/** What a scripted model says, in terms that no API mode owns. */
export type ReplyContent = {
  text?: string;
  reasoning?: string;
  toolCalls?: readonly ReplyToolCall[];
  /** `tool_calls` where there are some, else `stop`. */
  finishReason?: ReplyFinishReason;
  /** Counts that are left out are guessed from lengths, cache counts are 0. */
  usage?: Partial<Usage>;
  /** Characters per streamed piece. */
  chunkSize?: number;
  /** Wait between two streamed pieces. */
  delayMs?: number;
};

/** One answer of the provider server: what it says, or how it goes wrong. */
export type Reply = ReplyContent & { fault?: Fault };

/** A way an HTTP provider goes wrong. Events are counted as they are written, from 1. */
export type Fault =
  /** An error answer in the API mode's own form, unless `body` says otherwise. */
  | {
      type: 'status';
      status: number;
      message?: string;
      /** OpenAI's `error.code`, Anthropic's `error.type`. */
      code?: string;
      body?: string | JsonObject;
      headers?: Record<string, string>;
      /** Seconds, or a date as HTTP writes it. */
      retryAfter?: number | string;
    }
  /** Silence until the client goes away: before the headers, or after so many events (0: only headers). */
  | { type: 'stall'; afterEvents?: number }
  /** The connection breaks after so many bytes of the body. */
  | { type: 'cut'; afterBytes: number }
  /** The response ends as if all were well, without a finish reason. */
  | { type: 'cut-clean'; afterEvents?: number }
  /** The connection is reset before any header. */
  | { type: 'reset' }
  /** Event number `afterEvents + 1`, or a whole answer, is cut in the middle of its JSON; the rest follows. */
  | { type: 'malformed-json'; afterEvents?: number }
  /** An HTML page, as a proxy would send. */
  | { type: 'wrong-content-type'; status?: number }
  /** Headers come after so many milliseconds, or once the promise is settled. */
  | { type: 'slow-headers'; wait: number | Promise<unknown> }
  /** The text is filled up to this many characters and sent in one piece. */
  | { type: 'huge-chunk'; characters?: number }
  /** The right headers and no body at all. */
  | { type: 'empty-body' }
  /** An error inside a 200 answer, after so many events. */
  | { type: 'error-event'; afterEvents?: number; message?: string; code?: string }
  /** 400 to a request that wants a stream; others get the reply. */
  | { type: 'refuse-stream' };

/** A reply with everything filled in that was left out. */
export type PlannedReply = {
  text: string;
  reasoning: string;
  toolCalls: ToolCall[];
  /** Undefined for an answer that is to end without one. */
  finishReason: ReplyFinishReason | undefined;
  usage: Usage;
  chunkSize: number;
  delayMs: number;
};

/** Small enough that a short sentence arrives in several pieces. */
const DEFAULT_CHUNK_SIZE = 16;
/** A usual rule of thumb; tests that need exact counts give them. */
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
  // Random like a provider's: a session that goes on with another server must not meet the same id again.
  const id = call.id ?? newId('call');
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  return { id, name: call.name, arguments: text };
}

function guessTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Cuts text into pieces of at most `size` UTF-16 units (at least one character), never inside a surrogate pair. */
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

/** Replies in order, or a function that looks at the request. */
export type Script<Request, R> = readonly R[] | ((request: Request) => R | Promise<R>);

export type ScriptOptions = {
  /** The last reply of a list answers every further request as well. */
  repeatLast?: boolean;
};

/** Gives each request its reply; throws where a list has none left. */
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
    throw new HermesError(`The script has ${script.length} replies, and this is request ${position}.`, {
      hint: 'Add a reply, set repeatLast, or find out why there was one more request.',
    });
  };
}
