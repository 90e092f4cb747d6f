import { type AssistantMessage, isJsonObject, type JsonValue, type Message } from '../../base/index.ts';
import { countText } from './count-text.ts';

/** Role and limits of a message; name, id and frame of a call. */
const PER_MESSAGE = 4;
const PER_CALL = 8;
/** What an image of usual size takes; a PDF file takes it for each of its pages, which are not counted here. */
const PER_ATTACHMENT = 1_600;
/** Encrypted thinking is base64 of text: three bytes in four characters, about four bytes in a token. */
const PER_SEALED_CHARACTER = 0.19;
const SEALED_KEYS: ReadonlySet<string> = new Set(['signature', 'encrypted_content', 'data']);

/** The guess at one message, with all of it that is sent. */
export function countMessage(message: Message): number {
  if (message.role === 'tool') return PER_MESSAGE + countText(message.content);
  if (message.role === 'user') {
    const attached = (message.attachments?.length ?? 0) * PER_ATTACHMENT;
    return PER_MESSAGE + countText(message.sentContent ?? message.content) + attached;
  }
  return PER_MESSAGE + countText(message.content) + countCalls(message) + countReasoning(message);
}

function countCalls({ toolCalls = [] }: AssistantMessage): number {
  return toolCalls.reduce((sum, call) => sum + PER_CALL + countText(call.name) + countText(call.arguments), 0);
}

/** Only what goes back to the endpoint; thinking as plain text stays in our records. */
function countReasoning({ reasoningDetails = [], codexReasoningItems = [] }: AssistantMessage): number {
  let tokens = 0;
  // A list of what is left, because what comes from outside may be nested deeper than a stack is.
  const left: JsonValue[] = [...reasoningDetails, ...codexReasoningItems];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string') tokens += countText(next);
    else if (Array.isArray(next)) for (const item of next) left.push(item);
    else if (isJsonObject(next)) {
      for (const [key, value] of Object.entries(next)) {
        if (typeof value === 'string' && SEALED_KEYS.has(key)) tokens += value.length * PER_SEALED_CHARACTER;
        else left.push(value);
      }
    }
  }
  return tokens;
}
