import type { AttachmentKind, JsonObject, ToolCall } from '../base/index.ts';
import type { AuthScheme, ModelAnswer, ModelRequest, ModelStreamEvent } from '../contracts/index.ts';
import { type AnswerText, finishText, reasoningOf } from './answer-text.ts';
import type { FailureFacts } from './failure/error-body.ts';
import type { BodyFields, TextCache } from './json-text.ts';
import type { ModelQuirks } from './model-quirks.ts';

/** What an encoder knows about the endpoint. */
export type EncodeSettings = {
  model: string;
  producer: string;
  quirks: ModelQuirks;
  /** The window, where the request has to say it. */
  contextLength?: number;
  /** The field that is a cache mark, where the endpoint takes them for this model. */
  cacheMark?: string;
  remember: TextCache;
};

/** What every decoder's state has in common. */
export type DecoderState = {
  /** The provider reported an error inside the stream. */
  failure?: FailureFacts;
  /** Nothing of use comes any more, whether or not the connection stays open. */
  terminal: boolean;
};

/** Stands for the `[DONE]` at the end of a stream. */
export const END_MARK: JsonObject = Object.freeze({ type: '[DONE]' });

export type Finished = { answer: ModelAnswer; events: ModelStreamEvent[] } | { failure: FailureFacts };

/** Turns the events of one API mode into an answer, by pure functions. */
export type Decoder<State extends DecoderState> = {
  start: State;
  step(state: State, event: JsonObject): [State, ModelStreamEvent[]];
  /** The answer, or why what came is none: an answer without an end was cut off. */
  finish(state: State): Finished;
  /** The model has said why it stopped: a connection that breaks now loses nothing. */
  isWhole(state: State): boolean;
  /** The events that a stream would have had, for an answer that came in one piece; none for something else. */
  eventsOfWhole(body: JsonObject): JsonObject[];
};

/** A decoder at work on one answer. */
export type RunningDecoder = {
  push(event: JsonObject): ModelStreamEvent[];
  /** The same for an answer in one piece; undefined where the body is nothing of this API mode. */
  pushWhole(body: JsonObject): ModelStreamEvent[] | undefined;
  failure(): FailureFacts | undefined;
  isTerminal(): boolean;
  isWhole(): boolean;
  finish(): Finished;
};

/** What separates the events of a stream: server-sent events, or a line for each. */
export type Framing = 'sse' | 'ndjson';

/** One API mode. */
export type WireFormat = {
  /** Where answers are asked for, behind the base URL. */
  path: string;
  /** Where the models are listed; `/models` unless told otherwise. */
  modelsPath?: string;
  /** The end of a base URL that belongs to another API of the same server, and is left out. */
  foreignEnd?: string;
  framing: Framing;
  /** Stands before every path where the base URL does not end with it already. */
  version?: string;
  headers: Readonly<Record<string, string>>;
  /** What a single request says beside them. */
  headersFor?(request: ModelRequest, settings: EncodeSettings): Record<string, string>;
  authHeader: AuthScheme;
  /** The attachments it has a form for; all unless told otherwise. */
  carries?: readonly AttachmentKind[];
  /** Parameters without which the API refuses everything: they are never dropped or renamed. */
  mandatory: readonly string[];
  encode(request: ModelRequest, settings: EncodeSettings): BodyFields;
  decode(): RunningDecoder;
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
    pushWhole(body) {
      const events = decoder.eventsOfWhole(body);
      return events.length === 0 ? undefined : events.flatMap(push);
    },
    failure: () => state.failure,
    isTerminal: () => state.terminal,
    isWhole: () => decoder.isWhole(state),
    finish: () => decoder.finish(state),
  };
}

type AnswerParts = Pick<ModelAnswer, 'finishReason' | 'usage' | 'cost' | 'reasoningDetails' | 'codexReasoningItems'>;

/** The last step that all decoders share: the end of the text, and nothing undefined in the answer. */
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

/** What is said of an answer whose stream ended before the model did. */
export const CUT_OFF: FailureFacts = {
  kind: 'connection',
  message: 'The answer was cut off: the stream ended before the model said that it was finished.',
};

/** What is said of an answer that the provider withheld; its own words come first. */
export function withheld(words: string | undefined, reason: string): FailureFacts {
  const said = words?.trim();
  return {
    kind: 'content_policy',
    codes: [reason],
    message: said
      ? `The provider withheld the answer (${reason}): ${said}`
      : `The provider withheld the answer (${reason}).`,
  };
}
