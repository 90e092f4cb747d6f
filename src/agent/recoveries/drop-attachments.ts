import { ATTACHMENT_KINDS, type Attachment, attachmentsOf, type ModelFailure } from '../../base/index.ts';
import { canRead } from '../../contracts/index.ts';
import { recentAttachments } from '../attachments/attachment-limits.ts';
import { describeAttachments } from '../attachments/describe-attachments.ts';
import { visibleHistory } from '../request.ts';
import type { Turn } from '../turn.ts';
import { failureOf, firstTime, type Recovery, type RecoveryResult } from './recovery.ts';

const KINDS: readonly ModelFailure['kind'][] = ['attachment_refused', 'attachment_unsupported', 'payload_too_large'];

/** The provider rejected an attachment: this route gets a placeholder instead from now on. */
export const dropAttachments: Recovery = {
  name: 'drop-attachments',
  applies: (problem) => failureOf(problem, KINDS) !== undefined,
  async apply(problem, turn) {
    const failure = failureOf(problem, KINDS);
    const sent = sentAttachments(turn);
    if (failure === undefined || sent.length === 0) return 'pass';
    return failure.kind === 'attachment_unsupported' ? dropKind(turn, sent.flat()) : dropFiles(turn, sent, failure);
  },
};

/** Images are dropped first: a model that reads PDF files nearly always reads images too. */
async function dropKind(turn: Turn, sent: readonly Attachment[]): Promise<RecoveryResult> {
  const kind = ATTACHMENT_KINDS.find((known) => sent.some((attachment) => attachment.kind === known));
  if (kind === undefined) return 'pass';
  turn.routes.learned().unreadable.add(kind);
  await describeAttachments(turn);
  return 'retry';
}

/**
 * Errors do not reliably say which attachment was rejected, so those of the newest message are dropped first, then
 * all others.
 */
function dropFiles(turn: Turn, sent: readonly (readonly Attachment[])[], { message }: ModelFailure): RecoveryResult {
  const dropped = firstTime(turn, 'drop the newest attachments') ? (sent.at(-1) ?? []) : sent.flat();
  for (const { hash } of dropped) turn.routes.learned().refusedBlobs.add(hash);
  const names = dropped.map(({ name }) => name).join(', ');
  const { provider } = turn.routes.current();
  turn.emit({ type: 'warning', message: `${provider} rejected ${names}; continuing without: ${message}` });
  return 'retry';
}

/** The attachments that the last request carried, grouped by message. */
function sentAttachments({ session, routes }: Turn): (readonly Attachment[])[] {
  const { unreadable, refusedBlobs } = routes.learned();
  const route = routes.current();
  const history = visibleHistory(session);
  const recent = recentAttachments(history);
  const isSent = (attachment: Attachment) =>
    recent.has(attachment) &&
    !unreadable.has(attachment.kind) &&
    !refusedBlobs.has(attachment.hash) &&
    canRead(route, attachment.kind);
  return history.map((message) => attachmentsOf(message).filter(isSent)).filter((group) => group.length > 0);
}
