import {
  type AttachedFile,
  type Attachment,
  ATTACHMENT_LIMITS,
  attachmentsOf,
  HermesError,
  type Message,
} from '../../base/index.ts';

/** Throws if the attachments of one message exceed the limits of a request. */
export function assertAttachable(files: readonly Pick<AttachedFile, 'bytes'>[]): void {
  const { bytes, count } = ATTACHMENT_LIMITS;
  const total = files.reduce((sum, file) => sum + file.bytes.byteLength, 0);
  if (files.length > count) throw tooMuch(`${files.length} files are attached; one message can have at most ${count}.`);
  if (total > bytes) {
    const megabytes = (size: number) => `${Math.round(size / 100_000) / 10} MB`;
    throw tooMuch(
      `The attached files have ${megabytes(total)} in total; one message can have at most ${megabytes(bytes)}.`,
    );
  }
}

function tooMuch(message: string): HermesError {
  return new HermesError(message, { hint: 'Attach fewer or smaller files, or send them in separate messages.' });
}

/**
 * Returns the attachments that are still sent. When a message brings the total above the limit, the oldest
 * attachments are dropped until half of the limit is free. This keeps the request prefix stable for as long as
 * possible and depends on the history only.
 */
export function recentAttachments(messages: readonly Message[]): ReadonlySet<Attachment> {
  const { bytes, count } = ATTACHMENT_LIMITS;
  let kept: (readonly Attachment[])[] = [];
  for (const message of messages) {
    const attachments = attachmentsOf(message);
    if (attachments.length === 0) continue;
    kept.push(attachments);
    if (fits(kept, bytes, count)) continue;
    while (kept.length > 1 && !fits(kept, bytes / 2, count / 2)) kept = kept.slice(1);
  }
  return new Set(kept.flat());
}

function fits(groups: readonly (readonly Attachment[])[], bytes: number, count: number): boolean {
  const all = groups.flat();
  return all.length <= count && all.reduce((sum, { size }) => sum + size, 0) <= bytes;
}
