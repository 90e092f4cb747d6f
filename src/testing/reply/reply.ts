import type { JsonObject, Usage } from '../../base/index.ts';

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
