import type { AttachmentKind, JsonObject, ToolCall } from '../base/index.ts';
import type { AuthScheme, ModelAnswer, ModelRequest, ModelStreamEvent, RequestMarkers } from '../contracts/index.ts';
import { type AnswerText, finishText, reasoningOf } from './split-reasoning.ts';
import type { FailureFacts } from './failure/error-body.ts';
import type { BodyFields, TextCache } from './json-text.ts';
import type { ModelQuirks } from './model-quirks.ts';
import type { EventReader } from './transport/server-events.ts';

/** What an encoder needs to know about the endpoint. */
export type EncodeSettings = {
  model: string;
  producer: string;
  quirks: ModelQuirks;
  /** The context window, for API modes whose requests must contain it. */
  contextLength?: number;
  /** The JSON field of a cache marker, and where markers go; undefined if this request has none. */
  cacheMarker?: string;
  markers?: RequestMarkers;
  remember: TextCache;
};

/** The common part of all decoder states. */
export type DecoderState = {
  /** An error that the provider reported inside the stream. */
  failure?: FailureFacts;
  /** Whether the response has ended, so that nothing useful can follow even if the connection stays open. */
  terminal: boolean;
};

/** Represents the `[DONE]` at the end of a stream. */
export const DONE_EVENT: JsonObject = Object.freeze({ type: '[DONE]' });

export type Finished = { answer: ModelAnswer; events: ModelStreamEvent[] } | { failure: FailureFacts };

/** Decodes the events of one API mode with pure functions. */
export type Decoder<State extends DecoderState> = {
  start: State;
  step(state: State, event: JsonObject): [State, ModelStreamEvent[]];
  /** Returns the response, or a failure if the stream ended before the response was complete. */
  finish(state: State): Finished;
  /** Whether the finish reason is known. If the connection breaks after that, at most the usage is lost. */
  isComplete(state: State): boolean;
  /**
   * A number that grows with every part of the answer: text, reasoning, tool calls and their arguments. Keep-alive
   * events and empty deltas do not change it.
   */
  contentSize(state: State): number;
  /** The stream events that are equivalent to a response that was not streamed; empty for an unrelated body. */
  eventsOfBody(body: JsonObject): JsonObject[];
};

/** A decoder with the state of one response. */
export type RunningDecoder = {
  push(event: JsonObject): ModelStreamEvent[];
  /** Decodes a response that was not streamed; undefined if the body does not belong to this API mode. */
  pushBody(body: JsonObject): ModelStreamEvent[] | undefined;
  failure(): FailureFacts | undefined;
  isTerminal(): boolean;
  isComplete(): boolean;
  contentSize(): number;
  finish(): Finished;
};

/** How the events of a stream are framed: as server-sent events, as lines, or as binary messages of AWS. */
export type Framing = 'sse' | 'ndjson' | 'event-stream';

/** The implementation of one API mode. */
export type WireFormat = {
  /** The path of model calls, relative to the base URL; `{model}` is the name of the model. */
  path: string;
  /** The path of calls that are not streamed, if it is another one. */
  wholePath?: string;
  /** The path of the model list (default: `/models`). */
  modelsPath?: string;
  /** A suffix that selects another API of the same server; it is removed from base URLs. */
  foreignSuffix?: string;
  framing: Framing;
  /** The reader for a framing that only this API mode has. */
  createReader?(): EventReader;
  /** The version segment of the URL, inserted before every path unless the base URL already ends with it. */
  version?: string;
  headers: Readonly<Record<string, string>>;
  /** Additional headers of a single request. */
  headersFor?(request: ModelRequest, settings: EncodeSettings): Record<string, string>;
  authHeader: AuthScheme;
  /** The kinds of attachments it accepts (default: all). */
  attachmentKinds?: readonly AttachmentKind[];
  /**
   * Whether endpoints accept images in tool results by default; a quirk can override it. Undefined if the API mode
   * has no place for them.
   */
  toolResultImages?: boolean;
  /** Parameters that the API requires: they are never dropped or renamed. */
  mandatory: readonly string[];
  encode(request: ModelRequest, settings: EncodeSettings): BodyFields;
  /** Creates the decoder for one response. Its code is loaded on demand, because requests do not need it. */
  decode(): Promise<RunningDecoder>;
};

export function runDecoder<State extends DecoderState>(decoder: Decoder<State>): RunningDecoder {
  let state = decoder.start;
  const push = (event: JsonObject) => {
    if (state.failure !== undefined || state.terminal) return [];
    const [next, events] = decoder.step(state, event);
    state = next;
    return events;
  };
  return {
    push,
    pushBody(body) {
      const events = decoder.eventsOfBody(body);
      return events.length === 0 ? undefined : events.flatMap(push);
    },
    failure: () => state.failure,
    isTerminal: () => state.terminal,
    isComplete: () => decoder.isComplete(state),
    contentSize: () => decoder.contentSize(state),
    finish: () => decoder.finish(state),
  };
}

type AnswerParts = Pick<ModelAnswer, 'finishReason' | 'usage' | 'cost' | 'reasoningDetails' | 'codexReasoningItems'>;

/** The last step of all decoders: ends the text and omits undefined fields. */
export function finishAnswer(answerText: AnswerText, toolCalls: ToolCall[], parts: AnswerParts): Finished {
  const [whole, events] = finishText(answerText);
  const reasoning = reasoningOf(whole);
  const answer: ModelAnswer = { text: whole.text, toolCalls, finishReason: parts.finishReason, usage: parts.usage };
  if (reasoning !== undefined) answer.reasoning = reasoning;
  if (parts.reasoningDetails?.length) answer.reasoningDetails = parts.reasoningDetails;
  if (parts.codexReasoningItems?.length) answer.codexReasoningItems = parts.codexReasoningItems;
  if (parts.cost !== undefined) answer.cost = parts.cost;
  return { answer, events };
}

/** The failure for a stream that ended before the response was complete. */
export const TRUNCATED_RESPONSE: FailureFacts = {
  kind: 'connection',
  message: 'The response was truncated: the stream ended before the model finished.',
};

/** The failure for a response that the provider withheld, with the provider's explanation if there is one. */
export function withheldResponse(words: string | undefined, reason: string): FailureFacts {
  const said = words?.trim();
  return {
    kind: 'content_policy',
    codes: [reason],
    message: said
      ? `The provider withheld the response (${reason}): ${said}`
      : `The provider withheld the response (${reason}).`,
  };
}
