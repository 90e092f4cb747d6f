import type { SessionUpdate } from '@agentclientprotocol/sdk';
import {
  type AssistantMessage,
  attachmentsOf,
  type ChangedFile,
  isJsonObject,
  newId,
  ownBlock,
  parseJson,
  type ToolCall,
  type UserMessage,
} from '../../base/index.ts';
import type { SessionRecord, SessionStore, StoredMessage } from '../../contracts/index.ts';
import { ASKED_IN_TEXT, questionText } from './questions.ts';
import { chunk, compressionUpdates, finishedCall, startedCall, type UpdateContext } from './turn-updates.ts';

type Stored = Pick<SessionStore, 'getMessages' | 'getBlob' | 'getFileChanges' | 'getAncestors'>;
type Changes = ReadonlyMap<string, readonly ChangedFile[]>;

/** The updates that were sent while the messages of these sessions were written, in the same order. */
export async function* replay(
  store: Stored,
  chain: readonly SessionRecord[],
  context: UpdateContext,
): AsyncGenerator<SessionUpdate> {
  const changes = await findChanges(store, chain);
  for (const [index, { id }] of chain.entries()) {
    const messages = await store.getMessages(id);
    if (index > 0 && context.views.compaction) {
      yield* compressionUpdates(messages.find(({ isReplacement }) => isReplacement)?.message.content);
    }
    // The first messages of a continuation are copies of earlier ones; those of a branch are not shown anywhere else.
    const own = messages.filter(({ copyOf, isReplacement }) => !isReplacement && (index === 0 || copyOf === undefined));
    yield* replayMessages(store, own, changes, context);
  }
}

/** The file changes of all calls, including those that a branch has copied. */
async function findChanges(store: Stored, chain: readonly SessionRecord[]): Promise<Changes> {
  const ancestors = await store.getAncestors(chain[0]?.id ?? '');
  const found = await Promise.all([...ancestors, ...chain].map(({ id }) => store.getFileChanges(id)));
  return new Map(found.flatMap((changes) => [...changes]));
}

async function* replayMessages(
  store: Stored,
  messages: readonly StoredMessage[],
  changes: Changes,
  context: UpdateContext,
): AsyncGenerator<SessionUpdate> {
  const calls = new Map<string, ToolCall>();
  for (const stored of messages) {
    const { message } = stored;
    if (message.role === 'user') yield* replayUser(store, message);
    else if (message.role === 'assistant') {
      yield* replayAssistant(message, calls, context);
    } else {
      const call = calls.get(message.toolCallId);
      calls.delete(message.toolCallId);
      if (call !== undefined) yield* replayResult(stored, call, changes.get(call.id) ?? [], context);
    }
  }
  // A killed process leaves calls without a result; the next turn closes them.
  for (const { id: toolCallId } of calls.values())
    yield { sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' };
}

async function* replayUser(store: Stored, message: UserMessage): AsyncGenerator<SessionUpdate> {
  const messageId = newId('message');
  for (const { kind, hash, mediaType, name } of attachmentsOf(message)) {
    const blob = kind === 'image' ? await store.getBlob(hash) : undefined;
    if (blob !== undefined) {
      const data = Buffer.from(blob.bytes).toString('base64');
      yield { sessionUpdate: 'user_message_chunk', content: { type: 'image', data, mimeType: mediaType }, messageId };
    } else yield chunk('user_message_chunk', `[${name}]\n`, messageId);
  }
  if (message.content !== '') yield chunk('user_message_chunk', message.content, messageId);
}

function* replayAssistant(
  { reasoning, content, toolCalls = [] }: AssistantMessage,
  calls: Map<string, ToolCall>,
  { workingDirectory }: UpdateContext,
): Generator<SessionUpdate> {
  if (reasoning) yield chunk('agent_thought_chunk', reasoning, newId('thought'));
  if (content !== '') yield chunk('agent_message_chunk', content, newId('message'));
  for (const call of toolCalls) {
    calls.set(call.id, call);
    yield* startedCall({ callId: call.id, name: call.name, arguments: call.arguments }, workingDirectory);
  }
}

function* replayResult(
  { message, toolStatus = 'ok' }: StoredMessage,
  { id: callId, name, arguments: text }: ToolCall,
  changes: readonly ChangedFile[],
  { workingDirectory }: UpdateContext,
): Generator<SessionUpdate> {
  const content = withoutOwnBlocks(message.content);
  if (name === 'clarify' && content === ASKED_IN_TEXT) yield* replayQuestion(text);
  yield* finishedCall({ callId, name, status: toolStatus, content, changes }, workingDirectory);
  const steered = ownBlock('steering').lastText(message.content);
  if (steered !== undefined) yield chunk('user_message_chunk', steered, newId('message'));
}

/** A question that was asked in text. */
function* replayQuestion(text: string): Generator<SessionUpdate> {
  const args = parseJson(text);
  if (!isJsonObject(args) || typeof args['question'] !== 'string') return;
  const choices = Array.isArray(args['choices']) ? args['choices'].filter((choice) => typeof choice === 'string') : [];
  yield chunk('agent_message_chunk', questionText({ question: args['question'], choices }), newId('message'));
}

/** What the tool returned, without what Hermes has added for the model. */
function withoutOwnBlocks(content: string): string {
  const starts = (['notice', 'steering'] as const)
    .map((name) => content.indexOf(`\n\n${ownBlock(name).opening}\n`))
    .filter((at) => at >= 0);
  return starts.length === 0 ? content : content.slice(0, Math.min(...starts));
}
