import { type AttachedFile, type Attachment, HermesError, type Message } from '../../base/index.ts';

/**
 * What one request may carry. In base64 it is a third more, and the strictest providers take 32 MB, or hold more than 20
 * images to a smaller size.
 */
export const ATTACHMENT_LIMITS = { bytes: 20_000_000, count: 20 } as const;

/** Throws where one message would carry more than any request may. */
export function assertAttachable(files: readonly Pick<AttachedFile, 'bytes'>[]): void {
  const { bytes, count } = ATTACHMENT_LIMITS;
  const total = files.reduce((sum, file) => sum + file.bytes.byteLength, 0);
  if (files.length > count) throw tooMuch(`${files.length} files are attached; one message takes ${count}.`);
  if (total > bytes) {
    const megabytes = (size: number) => `${Math.round(size / 100_000) / 10} MB`;
    throw tooMuch(`The attached files have ${megabytes(total)} together; one message takes ${megabytes(bytes)}.`);
  }
}

function tooMuch(message: string): HermesError {
  return new HermesError(message, { hint: 'Attach fewer or smaller files, or send them one after another.' });
}

/**
 * The attachments that are still sent. When a message would bring them over the limit, the oldest go until half of it is
 * free: then the beginning of later requests stays the same for long, and follows from the history alone.
 */
export function recentAttachments(messages: readonly Message[]): ReadonlySet<Attachment> {
  const { bytes, count } = ATTACHMENT_LIMITS;
  let kept: (readonly Attachment[])[] = [];
  for (const message of messages) {
    if (message.role !== 'user' || !message.attachments?.length) continue;
    kept.push(message.attachments);
    if (fits(kept, bytes, count)) continue;
    while (kept.length > 1 && !fits(kept, bytes / 2, count / 2)) kept = kept.slice(1);
  }
  return new Set(kept.flat());
}

function fits(groups: readonly (readonly Attachment[])[], bytes: number, count: number): boolean {
  const all = groups.flat();
  return all.length <= count && all.reduce((sum, { size }) => sum + size, 0) <= bytes;
}
