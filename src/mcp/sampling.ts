import { type Clock, isJsonObject, type JsonObject, type JsonValue, type Message } from '../base/index.ts';
import type { McpServerSettings } from '../config/index.ts';
import type { AuxiliaryModels } from '../contracts/index.ts';

export type SamplingCaller = { sessionId?: string; taskId?: string; signal: AbortSignal };

export type SamplingParts = {
  serverName: string;
  settings: NonNullable<McpServerSettings['sampling']>;
  auxiliary: AuxiliaryModels;
  clock: Clock;
  /** The call that the server is at work on: what it costs is counted to its turn, and ends with it. */
  caller(): SamplingCaller | undefined;
};

const MINUTE_MS = 60_000;
const MOST_CHARACTERS = 200_000;

/** Lets a server ask the auxiliary model, so often and so much as its settings say. No tools go along with it. */
export function createSampling(parts: SamplingParts): (params: JsonObject, signal: AbortSignal) => Promise<JsonObject> {
  const { serverName, settings, auxiliary, clock } = parts;
  let asked: number[] = [];
  return async (params, signal) => {
    const call = parts.caller();
    // Nobody would know what it costs, and no limit would count it.
    if (call === undefined) throw new Error('Questions are answered here only while one of your tools is called.');
    const now = clock.now();
    asked = asked.filter((time) => now - time < MINUTE_MS);
    if (asked.length >= settings.perMinute) {
      throw new Error(`No more than ${settings.perMinute} questions a minute are answered here. Wait, then ask again.`);
    }
    asked.push(now);
    const messages = readMessages(params['messages']);
    const wanted = typeof params['maxTokens'] === 'number' ? params['maxTokens'] : settings.maxTokens;
    const answer = await auxiliary.ask('mcp', {
      system:
        typeof params['systemPrompt'] === 'string' ? params['systemPrompt'] : `You answer questions of ${serverName}.`,
      messages,
      maxOutputTokens: Math.max(1, Math.min(Math.floor(wanted), settings.maxTokens)),
      ...call,
      signal: AbortSignal.any([signal, call.signal, AbortSignal.timeout(settings.timeoutSeconds * 1000)]),
    });
    const stopReason = answer.finishReason === 'length' ? 'maxTokens' : 'endTurn';
    return { role: 'assistant', model: answer.model, stopReason, content: { type: 'text', text: answer.text } };
  };
}

function readMessages(given: JsonValue | undefined): Message[] {
  const messages = (Array.isArray(given) ? given : []).filter(isJsonObject).map(({ role, content }): Message => {
    return { role: role === 'assistant' ? 'assistant' : 'user', content: textOf(content ?? '') };
  });
  if (messages.length === 0) throw new Error('There is no message to answer.');
  const size = messages.reduce((sum, { content }) => sum + content.length, 0);
  if (size > MOST_CHARACTERS) throw new Error(`The messages have more than ${MOST_CHARACTERS} characters.`);
  return messages;
}

/** Images and sounds are only mentioned: a second model is asked in words. */
function textOf(content: JsonValue): string {
  if (Array.isArray(content)) return content.map(textOf).join('\n');
  if (!isJsonObject(content)) return String(content);
  const { type, text } = content;
  return typeof text === 'string' ? text : `[${typeof type === 'string' ? type : 'something'} that is not text]`;
}
