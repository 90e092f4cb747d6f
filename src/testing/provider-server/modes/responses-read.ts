import type { JsonObject } from '../../../base/index.ts';
import type { ReceivedHistory, ReceivedMessage } from '../wire.ts';
import { asObjects, asText, newMessage, readContent, readUserMessage } from './read-parts.ts';

type Item = { item: JsonObject; place: string };

/** Reads the flat list of items back into messages: thinking, text and calls in a row are one assistant message. */
export function readResponses(body: JsonObject): ReceivedHistory {
  const history: ReceivedHistory = {
    system: asText(body.instructions),
    messages: [],
    toolNames: asObjects(body.tools).map((tool) => asText(tool.name)),
    faults: [],
  };
  if (typeof body.input === 'string') history.messages.push(newMessage('input', 'user', body.input));
  const items = asObjects(body.input).map((item, index) => ({ item, place: `input.${index}` }));
  items.forEach((entry, index) => {
    readItem(entry, history);
    if (entry.item.type === 'reasoning') checkReasoning(entry, items[index + 1], history.faults);
  });
  return history;
}

function readItem({ item, place }: Item, history: ReceivedHistory): void {
  const type = asText(item.type) || 'message';
  if (type === 'message') {
    readMessage(item, place, history);
  } else if (type === 'reasoning') {
    const summary = asObjects(item.summary).map((part) => asText(part.text));
    openAssistant(place, history).reasoning += summary.join('\n') || '[reasoning]';
  } else if (type === 'function_call') {
    const call = { id: asText(item.call_id), name: asText(item.name), arguments: asText(item.arguments) };
    openAssistant(place, history).toolCalls.push(call);
  } else if (type === 'function_call_output') {
    const text = readContent(item.output, place, history.faults);
    history.messages.push({ ...newMessage(place, 'tool', text), toolCallId: asText(item.call_id) });
  } else {
    history.faults.push(`${place}: unknown item type "${type}"`);
  }
}

function readMessage(item: JsonObject, place: string, history: ReceivedHistory): void {
  const role = asText(item.role);
  if (role === 'user') {
    history.messages.push(readUserMessage(item.content, place, history.faults));
    return;
  }
  const text = readContent(item.content, place, history.faults);
  if (role === 'system' || role === 'developer') {
    if (history.messages.length > 0) history.faults.push(`${place}: a ${role} message must come first`);
    history.system += history.system === '' ? text : `\n\n${text}`;
  } else if (role === 'assistant') {
    addAssistantText(text, place, history);
  } else {
    history.faults.push(`${place}: unknown role "${role}"`);
  }
}

function addAssistantText(text: string, place: string, history: ReceivedHistory): void {
  const last = history.messages.at(-1);
  // Only thinking may stand before the text of the same message; anything else makes this a second one.
  const opened = last?.role === 'assistant' && last.text === '' && last.toolCalls.length === 0 && last.reasoning !== '';
  if (opened) last.text = text;
  else history.messages.push(newMessage(place, 'assistant', text));
}

/** The assistant message that is being read, or a new one. */
function openAssistant(place: string, history: ReceivedHistory): ReceivedMessage {
  const last = history.messages.at(-1);
  if (last?.role === 'assistant') return last;
  const message = newMessage(place, 'assistant');
  history.messages.push(message);
  return message;
}

/** The service keeps thinking and what it led to together, and refuses one without the other. */
function checkReasoning({ item, place }: Item, next: Item | undefined, faults: string[]): void {
  if (!Array.isArray(item.summary)) faults.push(`${place}: a reasoning item needs a summary list`);
  const type = asText(next?.item.type) || 'message';
  const belongs = type === 'reasoning' || type === 'function_call' || next?.item.role === 'assistant';
  if (!belongs) faults.push(`${place}: a reasoning item must be followed by the item it led to`);
}
