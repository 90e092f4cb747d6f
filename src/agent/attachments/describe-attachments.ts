import { type Attachment, errorMessage } from '../../base/index.ts';
import { canRead } from '../../contracts/index.ts';
import { createSemaphore, takeStart } from '../../util/index.ts';
import type { Turn } from '../turn.ts';
import { DESCRIBE_SYSTEM, describeQuestion } from './attachment-text.ts';

const MAX_PARALLEL = 3;
const MAX_TOKENS = 8_000;
const MAX_DESCRIPTION_LENGTH = 30_000;

/**
 * Lets the auxiliary task `vision` describe the attachments that the current route cannot read, and stores the
 * descriptions before the message is first sent, so that all later requests are identical. If a description fails,
 * the user gets a warning and the model sees only the file name.
 */
export async function describeAttachments(turn: Turn): Promise<void> {
  const message = turn.session.history.at(-1);
  if (message?.role !== 'user' || !message.attachments?.some((attachment) => needsDescription(turn, attachment)))
    return;
  const places = createSemaphore(MAX_PARALLEL);
  const described = await Promise.all(
    message.attachments.map(async (attachment) =>
      needsDescription(turn, attachment) ? places.use(() => describe(turn, attachment, message.content)) : attachment,
    ),
  );
  const isChanged = described.some((attachment, index) => attachment !== message.attachments?.[index]);
  if (isChanged) await turn.session.setAttachments(described);
}

function needsDescription({ routes }: Turn, { kind, description }: Attachment): boolean {
  if (description !== undefined) return false;
  return routes.learned().unreadable.has(kind) || !canRead(routes.current(), kind);
}

async function describe(turn: Turn, attachment: Attachment, said: string): Promise<Attachment> {
  try {
    const answer = await ask(turn, attachment, said);
    turn.emit({ type: 'attachment-described', name: attachment.name, by: `${answer.provider}/${answer.model}` });
    return { ...attachment, description: takeStart(answer.text, MAX_DESCRIPTION_LENGTH).toWellFormed() };
  } catch (thrown) {
    turn.signal.throwIfAborted();
    const { model } = turn.routes.current();
    const reason = errorMessage(thrown).replace(/\.$/, '');
    const message = `${model} cannot read ${attachment.name} and sees only its name: ${reason}.`;
    turn.emit({ type: 'warning', message });
    return attachment;
  }
}

async function ask({ options, session, signal, taskId }: Turn, attachment: Attachment, said: string) {
  const { auxiliary } = options;
  if (auxiliary === undefined) throw new Error('no auxiliary model is configured to describe it');
  const base64 = await session.attachments.load(attachment);
  if (base64 === undefined) throw new Error('the file is no longer stored');
  return auxiliary.ask('vision', {
    system: DESCRIBE_SYSTEM,
    messages: [{ role: 'user', content: describeQuestion(attachment, said), attachments: [attachment] }],
    blobs: new Map([[attachment.hash, base64]]),
    maxOutputTokens: MAX_TOKENS,
    signal,
    sessionId: session.id,
    taskId,
  });
}
