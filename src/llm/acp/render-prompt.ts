import type { AssistantMessage, Message, ToolCall } from '../../base/index.ts';
import type { ModelRequest, ToolDefinition } from '../../contracts/index.ts';
import { sendableArguments } from '../json-text.ts';
import { markOf, withoutMark } from './conversation-mark.ts';
import { NOTICE_WITHOUT_CALLS, preamble } from './prompt-texts.ts';

export type Prompt = {
  text: string;
  mark: string;
  /** What this request adds behind its history, and no later request repeats. */
  tail: string;
};

/**
 * A request as one text. A longer history gives a text that is longer at its end and the same before: every part begins
 * with its own heading and none has an end mark.
 */
export function renderPrompt(request: ModelRequest): Prompt {
  const mark = markOf(request);
  const hasTools = request.tools.length > 0;
  const tail = hasTools && request.toolChoice === 'none' ? part(mark, 'notice', NOTICE_WITHOUT_CALLS) : '';
  let text = preamble(mark, hasTools);
  if (request.system !== '') text += part(mark, 'system', request.system);
  if (hasTools) text += part(mark, 'tools', request.tools.map(describeTool).join('\n'));
  let calls: readonly ToolCall[] = [];
  for (const message of request.messages) {
    text += renderMessage(message, mark, calls);
    if (message.role === 'assistant') calls = message.toolCalls ?? [];
  }
  return { text, mark, tail };
}

/** What the agent wrote, as it will stand in the next prompt. */
export function renderAnswer(answer: Pick<AssistantMessage, 'content' | 'toolCalls'>, mark: string): string {
  const calls = (answer.toolCalls ?? []).map((call) => renderCall(call, mark));
  return (
    part(mark, 'assistant', '') + [withoutMark(answer.content.trim(), mark), ...calls].filter(Boolean).join('\n\n')
  );
}

/** How every part that follows begins: what continues a conversation has to start with it. */
export function headingStart(mark: string): string {
  return `\n\n[[${mark} `;
}

function renderMessage(message: Message, mark: string, calls: readonly ToolCall[]): string {
  if (message.role === 'assistant') return renderAnswer(message, mark);
  if (message.role === 'user') return part(mark, 'user', (message.sentContent ?? message.content).trim());
  // Results stand in the order of their calls; the number tells equal calls apart.
  const number = calls.findIndex((call) => call.id === message.toolCallId) + 1;
  const name = oneWord(message.toolName);
  return part(mark, number === 0 ? `result ${name}` : `result ${number} ${name}`, message.content);
}

function part(mark: string, heading: string, content: string): string {
  return `${headingStart(mark)}${heading}]]\n${withoutMark(content, mark)}`;
}

/** In the very form in which the agent writes calls, so that its own history teaches it nothing else. */
function renderCall({ name, arguments: args }: ToolCall, mark: string): string {
  return `<call-${mark} ${oneWord(name)}>\n${withoutMark(sendableArguments(args), mark)}\n</call-${mark}>`;
}

/** A name comes from a model and may hold anything; in a heading it must stay one word. */
function oneWord(name: string): string {
  return name.replaceAll(/[^\w.:-]/g, '_').slice(0, 128);
}

function describeTool({ name, description, parameters }: ToolDefinition): string {
  return JSON.stringify({ name, description, parameters });
}
