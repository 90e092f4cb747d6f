import { canonicalJson, type JsonObject, NO_USAGE, type Usage } from '../../base/index.ts';
import type { ModelStreamEvent } from '../../contracts/index.ts';
import { type AnswerText, addReasoning, addText, answerTextSize, NO_ANSWER_TEXT } from '../split-reasoning.ts';
import { factsOfStreamError } from '../failure/error-body.ts';
import { asCount, asObject, asObjects, asString, asText, hasError } from '../json-access.ts';
import { callsSize, type PartialCall, withUniqueIds } from '../tool-call-ids.ts';
import { TRUNCATED_RESPONSE, type Decoder, type DecoderState, type Finished, finishAnswer } from '../wire-format.ts';

export type OllamaState = DecoderState & {
  answerText: AnswerText;
  calls: readonly PartialCall[];
  /** The finish reason. */
  end: string | undefined;
  usage: Usage;
};

export const ollamaDecoder: Decoder<OllamaState> = {
  start: { answerText: NO_ANSWER_TEXT, calls: [], end: undefined, usage: NO_USAGE, terminal: false },
  step,
  finish,
  isComplete: (state) => state.end !== undefined,
  contentSize: ({ answerText, calls }) => answerTextSize(answerText) + callsSize(calls),
  eventsOfBody: eventsOfWhole,
};

/** Every line has a part of the message; the last one is marked and has the usage. Calls are never split. */
function step(state: OllamaState, line: JsonObject): [OllamaState, ModelStreamEvent[]] {
  if (hasError(line)) return [{ ...state, failure: factsOfStreamError(line) }, []];
  const message = asObject(line.message) ?? {};
  // Compatible servers may use the field name of another API.
  const thoughts = asText(message.thinking) ?? asText(message.reasoning_content) ?? '';
  const thinking = addReasoning(state.answerText, thoughts);
  const [answerText, events] = addText(thinking[0], asText(message.content) ?? '');
  const calls = asObjects(message.tool_calls).map(readCall);
  const next = { ...state, answerText, calls: [...state.calls, ...calls] };
  const started = calls.map(({ name }) => ({ type: 'tool-call-start', name }) as const);
  return [line.done === true ? finishState(next, line) : next, [...thinking[1], ...events, ...started]];
}

function readCall(source: JsonObject): PartialCall {
  const { name, arguments: args } = asObject(source.function) ?? {};
  return {
    id: asText(source.id),
    name: asString(name) ?? '',
    // An object is serialised canonically; if the chat template failed, the arguments are a string.
    arguments: typeof args === 'string' ? args : canonicalJson(args ?? {}),
  };
}

function finishState(state: OllamaState, line: JsonObject): OllamaState {
  const usage = { ...NO_USAGE, input: asCount(line.prompt_eval_count), output: asCount(line.eval_count) };
  return { ...state, end: asText(line.done_reason) ?? 'stop', usage, terminal: true };
}

function finish(state: OllamaState): Finished {
  if (state.end === undefined) return { failure: TRUNCATED_RESPONSE };
  const toolCalls = withUniqueIds(state.calls);
  const regular = toolCalls.length > 0 ? 'tool_calls' : 'stop';
  const finishReason = state.end === 'length' ? 'length' : regular;
  return finishAnswer(state.answerText, toolCalls, { finishReason, usage: state.usage });
}

/**
 * Converts a response that was not streamed into a single line, which is complete even if the server does not mark it
 * as the last.
 */
function eventsOfWhole(body: JsonObject): JsonObject[] {
  if (hasError(body)) return [body];
  return asObject(body.message) === undefined ? [] : [{ ...body, done: true }];
}
