import type { JsonObject, JsonValue } from '../../../base/index.ts';
import type { ReceivedHistory, ReceivedMessage } from '../wire.ts';
import { addUserPart, asObjects, asText, newMessage, readContent, readPart } from './read-parts.ts';

export function readAnthropic(body: JsonObject): ReceivedHistory {
  const history: ReceivedHistory = {
    system: '',
    messages: [],
    toolNames: asObjects(body.tools).map((tool) => asText(tool.name)),
    faults: [],
  };
  history.system = readContent(body.system, 'system', history.faults);
  let previousRole = '';
  asObjects(body.messages).forEach((message, index) => {
    const place = `messages.${index}`;
    const role = asText(message.role);
    // Results and text of one user message are separate here, so this pair would otherwise look right.
    const afterResults = previousRole === 'user' && history.messages.at(-1)?.role === 'tool';
    if (role === 'user' && afterResults) history.faults.push(`${place}: two user messages in a row`);
    if (role === 'user') readUser(message.content, place, history);
    else if (role === 'assistant') history.messages.push(readAssistant(message.content, place, history.faults));
    else history.faults.push(`${place}: unknown role "${role}"`);
    previousRole = role;
  });
  checkPrefill(history);
  return history;
}

/** Tool results become messages of their own, in the order of the blocks, so that a wrong order shows later. */
function readUser(content: JsonValue | undefined, place: string, history: ReceivedHistory): void {
  const blocks = asObjects(content);
  if (blocks.length === 0) {
    history.messages.push(newMessage(place, 'user', asText(content)));
    return;
  }
  let open: ReceivedMessage | undefined;
  blocks.forEach((block, index) => {
    const blockPlace = `${place}.content.${index}`;
    if (block.type === 'tool_result') {
      const text = readContent(block.content, blockPlace, history.faults);
      history.messages.push({ ...newMessage(blockPlace, 'tool', text), toolCallId: asText(block.tool_use_id) });
      return;
    }
    if (open === undefined) {
      open = newMessage(place, 'user');
      history.messages.push(open);
    }
    addUserPart(open, block, blockPlace, history.faults);
  });
}

function readAssistant(content: JsonValue | undefined, place: string, faults: string[]): ReceivedMessage {
  const message = newMessage(place, 'assistant', asText(content));
  const blocks = asObjects(content);
  blocks.forEach((block, index) => {
    readAssistantBlock(block, `${place}.content.${index}`, message, faults);
  });
  if (isThinking(blocks.at(-1))) faults.push(`${place}: the last block of an assistant message must not be thinking`);
  return message;
}

function readAssistantBlock(block: JsonObject, place: string, message: ReceivedMessage, faults: string[]): void {
  if (block.type === 'tool_use') {
    const call = { id: asText(block.id), name: asText(block.name), arguments: JSON.stringify(block.input ?? null) };
    message.toolCalls.push(call);
  } else if (block.type === 'thinking') {
    message.reasoning += asText(block.thinking);
    if (asText(block.signature) === '') faults.push(`${place}: a thinking block needs its signature`);
  } else if (block.type === 'redacted_thinking') {
    message.reasoning += '[redacted]';
  } else {
    message.text += readPart(block, place, faults);
  }
}

function isThinking(block: JsonObject | undefined): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking';
}

/** The service goes on writing behind a last assistant message, and takes no blank at that seam. */
function checkPrefill(history: ReceivedHistory): void {
  const last = history.messages.at(-1);
  if (last?.role !== 'assistant' || last.toolCalls.length > 0) return;
  if (last.text !== last.text.trimEnd()) history.faults.push(`${last.place}: a prefill must not end in white space`);
}
