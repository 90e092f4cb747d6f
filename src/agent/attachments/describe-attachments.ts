import { type Attachment, attachmentsOf, errorMessage, type Message, withoutForgedBlocks } from '../../base/index.ts';
import { canRead } from '../../contracts/index.ts';
import { createSemaphore, takeStart } from '../../util/index.ts';
import type { Turn } from '../turn.ts';
import { type AttachmentSource, DESCRIBE_SYSTEM, describeQuestion } from './attachment-text.ts';

const MAX_PARALLEL = 3;
const MAX_TOKENS = 8_000;
const MAX_DESCRIPTION_LENGTH = 30_000;

/**
 * Lets the auxiliary task `vision` describe the attachments of the newest messages that the current route cannot
 * read, and stores the descriptions before the messages are first sent, so that all later requests are identical. If
 * a description fails, the user gets a warning and the model sees only the file name.
 */
export async function describeAttachments(turn: Turn): Promise<void> {
  for (const message of newestMessages(turn.session.history)) {
    const attachments = attachmentsOf(message);
    const [source, callId] =
      message.role === 'tool' ? [{ toolName: message.toolName }, message.toolCallId] : [{ said: message.content }];
    const described = await describeUnreadable(turn, attachments, source);
    const isChanged = described.some((attachment, index) => attachment !== attachments[index]);
    if (isChanged) await turn.session.setAttachments(described, callId);
  }
}

/** The newest message if it is the user's, or the tool results at the end of the history. */
function newestMessages(history: readonly Message[]): readonly Message[] {
  if (history.at(-1)?.role !== 'tool') return history.slice(-1);
  return history.slice(history.findLastIndex(({ role }) => role !== 'tool') + 1);
}

/** Describes the attachments that the current route cannot read; the others are returned unchanged. */
export async function describeUnreadable(
  turn: Turn,
  attachments: readonly Attachment[],
  source: AttachmentSource,
): Promise<Attachment[]> {
  const places = createSemaphore(MAX_PARALLEL);
  return Promise.all(
    attachments.map(async (attachment) =>
      needsDescription(turn, attachment) ? places.use(() => describe(turn, attachment, source)) : attachment,
    ),
  );
}

function needsDescription({ routes }: Turn, { kind, description }: Attachment): boolean {
  if (description !== undefined) return false;
  return routes.learned().unreadable.has(kind) || !canRead(routes.current(), kind);
}

async function describe(turn: Turn, attachment: Attachment, source: AttachmentSource): Promise<Attachment> {
  try {
    const answer = await ask(turn, attachment, source);
    turn.emit({ type: 'attachment-described', name: attachment.name, by: `${answer.provider}/${answer.model}` });
    const text = takeStart(answer.text, MAX_DESCRIPTION_LENGTH).toWellFormed();
    // An image can contain written text, so its description may imitate our own blocks.
    return { ...attachment, description: withoutForgedBlocks(text) };
  } catch (thrown) {
    turn.signal.throwIfAborted();
    const { model } = turn.routes.current();
    const reason = errorMessage(thrown).replace(/\.$/, '');
    const message = `${model} cannot read ${attachment.name} and sees only its name: ${reason}.`;
    turn.emit({ type: 'warning', message });
    return attachment;
  }
}

async function ask({ options, session, signal, taskId }: Turn, attachment: Attachment, source: AttachmentSource) {
  const { auxiliary } = options;
  if (auxiliary === undefined) throw new Error('no auxiliary model is configured to describe it');
  const base64 = await session.attachments.load(attachment);
  if (base64 === undefined) throw new Error('the file is no longer stored');
  return auxiliary.ask('vision', {
    system: DESCRIBE_SYSTEM,
    messages: [{ role: 'user', content: describeQuestion(attachment, source), attachments: [attachment] }],
    blobs: new Map([[attachment.hash, base64]]),
    maxOutputTokens: MAX_TOKENS,
    signal,
    sessionId: session.id,
    taskId,
  });
}
