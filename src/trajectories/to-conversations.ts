import { type AssistantMessage, attachmentsOf, type Message, type ToolCall, type ToolMessage } from '../base/index.ts';
import type { StoredMessage, ToolDefinition } from '../contracts/index.ts';
import { splitThinking } from '../llm/index.ts';
import { cleanText, describeAttachment } from './clean-text.ts';
import { matchResults, readCall, writeCall, writeResponse } from './tool-blocks.ts';
import { type SystemTurnOptions, writeSystemTurn } from './system-turn.ts';
import type { TrajectoryTurn } from './trajectory.ts';

/** A stored message and the status of its call. */
export type RecordedMessage = Pick<StoredMessage, 'message' | 'toolStatus'>;

export type ConversationSource = SystemTurnOptions & {
  /** The original messages of the lineage in order, without replacements: see `readOriginals`. */
  messages: readonly RecordedMessage[];
  /** The tools to list in the system turn. */
  tools: readonly ToolDefinition[];
};

export type Conversations = {
  conversations: TrajectoryTurn[];
  /** Whether any turn contains reasoning. */
  hasReasoning: boolean;
  /** What could not be written as it was, as sentences. */
  warnings: string[];
};

const NO_RESULT = 'No result was stored: the call was interrupted, and its outcome is unknown.';
const THINK_TAG = /<\/?think>/gi;
const CALL_TAG = /<(?=\/?tool_(?:call|response)>)/g;

type Writing = { turns: TrajectoryTurn[]; warnings: string[]; redact: boolean; hasReasoning: boolean };

/** Converts stored messages to the trajectory format. */
export function toConversations({ messages, tools, ...options }: ConversationSource): Conversations {
  const { redact = false } = options;
  const system: TrajectoryTurn = { from: 'system', value: writeSystemTurn(tools, options) };
  const writing: Writing = { turns: [system], warnings: [], redact, hasReasoning: false };
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at]?.message;
    if (message?.role === 'user') writing.turns.push({ from: 'human', value: humanText(message, redact) });
    else if (message?.role === 'tool') warn(writing, `a result of ${message.toolName} has no call and is omitted`);
    else if (message !== undefined) {
      const results = resultsAfter(messages, at);
      addAnswer(writing, message, results);
      at += results.length;
    }
  }
  const { turns: conversations, hasReasoning, warnings } = writing;
  return { conversations, hasReasoning, warnings };
}

function warn({ turns, warnings }: Writing, text: string): void {
  warnings.push(`Turn ${turns.length + 1}: ${text}.`);
}

function humanText(message: Message, redact: boolean): string {
  return textParts(message)
    .map((part) => cleanText(part, redact))
    .join('\n');
}

/** The text of a message, followed by its attachments as text. */
function textParts(message: Message): string[] {
  const described = attachmentsOf(message).map(describeAttachment);
  return described.length === 0 ? [message.content] : [message.content, ...described].filter((part) => part !== '');
}

/** The tool results directly after an answer. */
function resultsAfter(messages: readonly RecordedMessage[], at: number): ToolMessage[] {
  const results: ToolMessage[] = [];
  for (let next = at + 1; next < messages.length; next += 1) {
    const message = messages[next]?.message;
    if (message?.role !== 'tool') break;
    results.push(message);
  }
  return results;
}

function addAnswer(writing: Writing, message: AssistantMessage, results: readonly ToolMessage[]): void {
  const { redact } = writing;
  const { toolCalls = [] } = message;
  const { thinking, text } = readAnswer(writing, message);
  const plain = toolCalls.map(readCall);
  for (const { fault } of plain) if (fault !== undefined) warn(writing, `${fault} and are written as {}`);
  if (thinking !== '') writing.hasReasoning = true;
  const parts = [
    thinking === '' ? '<think>\n</think>' : `<think>\n${cleanText(thinking, redact)}\n</think>`,
    ...(text.trim() === '' ? [] : [cleanText(text, redact)]),
    ...plain.map((call) => writeCall(call, redact)),
  ];
  writing.turns.push({ from: 'gpt', value: parts.join('\n').trimEnd() });
  addResults(writing, toolCalls, results);
}

function addResults(writing: Writing, toolCalls: readonly ToolCall[], results: readonly ToolMessage[]): void {
  const { matched, left } = matchResults(toolCalls, results);
  for (const { toolName } of left) warn(writing, `a result of ${toolName} has no call and is omitted`);
  if (toolCalls.length === 0) return;
  const blocks = toolCalls.map((call, index) => {
    const result = matched[index];
    if (result === undefined) warn(writing, `a call of ${call.name} has no result; a stub was added`);
    return writeResponse(
      readCall(call),
      result === undefined ? NO_RESULT : textParts(result).join('\n'),
      writing.redact,
    );
  });
  writing.turns.push({ from: 'tool', value: blocks.join('\n') });
}

/** The reasoning of an answer, whether separate or in tags inside the text. */
function readAnswer(writing: Writing, { content, reasoning = '' }: AssistantMessage) {
  const { thinking: tagged, text } = splitThinking(content);
  const thinking = [reasoning, tagged]
    // A closing tag inside would end the block too early.
    .map((part) => part.replace(THINK_TAG, '').trim())
    .filter((part) => part !== '')
    .join('\n');
  if (!`${thinking}${text}`.match(CALL_TAG)) return { thinking, text };
  // Text about tool calls must not be parsed as tool calls.
  warn(writing, 'call tags in the text are written with &lt;');
  return { thinking: thinking.replace(CALL_TAG, '&lt;'), text: text.replace(CALL_TAG, '&lt;') };
}
