import { type Attachment, attachmentsOf, type Message } from '../base/index.ts';
import type { ModelRequest } from '../contracts/index.ts';

export type SendableAttachment = Attachment & { base64: string };

/** The attachments of a message whose bytes are in the request. Encoders put them before the text, as models expect. */
export function sendableAttachments(message: Message, blobs: ModelRequest['blobs']): SendableAttachment[] {
  return attachmentsOf(message).flatMap((attachment) => {
    const base64 = blobs?.get(attachment.hash);
    return base64 === undefined ? [] : [{ ...attachment, base64 }];
  });
}

export function dataUrl({ mediaType, base64 }: SendableAttachment): string {
  return `data:${mediaType};base64,${base64}`;
}

export function carriesImage({ messages, blobs }: ModelRequest): boolean {
  if (blobs === undefined) return false;
  const isImage = ({ kind, hash }: Attachment) => kind === 'image' && blobs.has(hash);
  return messages.some((message) => attachmentsOf(message).some(isImage));
}
