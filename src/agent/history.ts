import type { AssistantMessage, Attachment, Message, ToolMessage, UserMessage } from '../base/index.ts';
import type { AppendDetails, ModelAnswer, ModelRoute } from '../contracts/index.ts';

/** The messages of a session in memory, oldest first. */
export interface History {
  readonly messages: readonly Message[];
  /** Ids of all tool calls, used to keep new ids unique. */
  readonly callIds: ReadonlySet<string>;
  /** The newest result of a call. */
  readonly resultOf: (callId: string) => string | undefined;
  add(messages: readonly Message[]): void;
  replace(messages: readonly Message[]): void;
  /**
   * Sets the attachments of the newest message, which must be the user's. With `toolCallId`, sets those of the newest
   * result of that call instead.
   */
  setAttachments(attachments: Attachment[], toolCallId?: string): void;
  /** Sets `sentContent` of the newest message, which must be the user's. */
  setSentContent(sentContent: string): void;
}

export function createHistory(): History {
  const messages: Message[] = [];
  const callIds = new Set<string>();

  function add(added: readonly Message[]): void {
    for (const message of added) {
      messages.push(message);
      if (message.role === 'assistant') for (const call of message.toolCalls ?? []) callIds.add(call.id);
    }
  }

  function changeResult(toolCallId: string, attachments: Attachment[]): void {
    const index = messages.findLastIndex((message) => message.role === 'tool' && message.toolCallId === toolCallId);
    const result = messages[index];
    if (result?.role === 'tool') messages[index] = { ...result, attachments };
  }

  function changeNewest(change: Partial<UserMessage>): void {
    const newest = messages.at(-1);
    if (newest?.role === 'user') messages[messages.length - 1] = { ...newest, ...change };
  }

  return {
    messages,
    callIds,
    resultOf: (callId) => messages.findLast((each) => each.role === 'tool' && each.toolCallId === callId)?.content,
    add,
    replace(others) {
      const copy = [...others];
      messages.length = 0;
      callIds.clear();
      add(copy);
    },
    setAttachments(attachments, toolCallId) {
      if (toolCallId === undefined) changeNewest({ attachments });
      else changeResult(toolCallId, attachments);
    },
    setSentContent: (sentContent) => changeNewest({ sentContent }),
  };
}

/** Closing results for the calls of the newest assistant message that have no result yet. */
export function closingResults(messages: readonly Message[], content: string): ToolMessage[] {
  const last = messages.findLastIndex((message) => message.role === 'assistant');
  const calls = (messages[last] as AssistantMessage | undefined)?.toolCalls ?? [];
  const after = messages.slice(last + 1);
  // A tool result cannot be stored after a user message. The request copy is repaired instead.
  if (after.some((message) => message.role === 'user')) return [];
  const answered = new Set(after.map((message) => (message.role === 'tool' ? message.toolCallId : '')));
  return calls
    .filter((call) => !answered.has(call.id))
    .map((call) => ({ role: 'tool', toolCallId: call.id, toolName: call.name, content }));
}

/** Closing results are stored with the status `interrupted`. */
export function closingDetails(results: readonly ToolMessage[]): AppendDetails {
  return { toolStatus: Object.fromEntries(results.map(({ toolCallId }) => [toolCallId, 'interrupted' as const])) };
}

/**
 * The message that is stored for an answer: the text, the tool calls, and the reasoning fields that the provider
 * wants back.
 */
export function assistantMessage(answer: ModelAnswer, route: ModelRoute): AssistantMessage {
  const message: AssistantMessage = {
    role: 'assistant',
    content: answer.text,
    finishReason: answer.finishReason,
    producer: route.client.producer,
  };
  if (answer.toolCalls.length > 0) message.toolCalls = answer.toolCalls;
  if (answer.reasoning) message.reasoning = answer.reasoning;
  if (answer.reasoningDetails?.length) message.reasoningDetails = answer.reasoningDetails;
  if (answer.codexReasoningItems?.length) message.codexReasoningItems = answer.codexReasoningItems;
  return message;
}
