import {
  type Cost,
  derivedCallId,
  type FinishReason,
  type JsonObject,
  NO_USAGE,
  type ToolCall,
} from '../../base/index.ts';
import type { ModelAnswer, ModelRequest, ModelStreamEvent } from '../../contracts/index.ts';
import { type AnswerText, addReasoning, addText, finishText, NO_ANSWER_TEXT, reasoningOf } from '../answer-text.ts';
import { asObject, asString } from '../json-access.ts';
import { createCallScanner, type ScannedCall } from './call-scanner.ts';

/** An answer as it grows out of the updates of an agent. */
export type AgentAnswer = {
  take(update: JsonObject): ModelStreamEvent[];
  /** How much has been taken, in characters. */
  size(): number;
  finish(finishReason: FinishReason): { answer: ModelAnswer; events: ModelStreamEvent[] };
};

/** The agent says neither what a call cost nor how many tokens it took: someone pays by the month. */
const SUBSCRIPTION: Cost = Object.freeze({ usd: 0, status: 'unknown', source: 'subscription' });

export function createAgentAnswer(request: ModelRequest, mark: string): AgentAnswer {
  const scanner = createCallScanner(mark);
  let heard: AnswerText = NO_ANSWER_TEXT;
  let text = '';
  let size = 0;

  /** Thinking in tags was taken out before: a call that the model only thinks about is none. */
  const scan = (heardNow: readonly ModelStreamEvent[], last = false): ModelStreamEvent[] => {
    const events = heardNow.flatMap((event): ModelStreamEvent[] =>
      event.type === 'text-delta' ? scanner.push(event.text) : [event],
    );
    if (last) events.push(...scanner.finish());
    for (const event of events) if (event.type === 'text-delta') text += event.text;
    return events;
  };

  return {
    take(update) {
      const said = asString(asObject(update.content)?.text) ?? '';
      if (said === '') return [];
      size += said.length;
      let events: ModelStreamEvent[] = [];
      if (update.sessionUpdate === 'agent_message_chunk') [heard, events] = addText(heard, said);
      if (update.sessionUpdate === 'agent_thought_chunk') [heard, events] = addReasoning(heard, said);
      return scan(events);
    },
    size: () => size,
    finish(finishReason) {
      const [whole, rest] = finishText(heard);
      const events = scan(rest, true);
      const toolCalls = withIds(scanner.calls(), request);
      const reason = toolCalls.length > 0 && finishReason === 'stop' ? 'tool_calls' : finishReason;
      const answer: ModelAnswer = { text, toolCalls, finishReason: reason, usage: NO_USAGE, cost: SUBSCRIPTION };
      const reasoning = reasoningOf(whole);
      if (reasoning !== undefined) answer.reasoning = reasoning;
      return { answer, events };
    },
  };
}

/** The calls have no ids of their own, and the same call may come again later: the place in the history tells them apart. */
function withIds(calls: readonly ScannedCall[], { messages }: ModelRequest): ToolCall[] {
  const taken = new Set(
    messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [])),
  );
  return calls.map(({ name, arguments: args }, index) => {
    const position = messages.length + index;
    let id = derivedCallId({ name, arguments: args, position });
    while (taken.has(id)) id = derivedCallId({ name, arguments: args, position, taken: id });
    taken.add(id);
    return { id, name, arguments: args };
  });
}
