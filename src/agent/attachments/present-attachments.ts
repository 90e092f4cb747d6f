import type { Attachment, Message, UserMessage } from '../../base/index.ts';
import { canRead, type ModelRequest, type ModelRoute, type SessionStore } from '../../contracts/index.ts';
import type { LearnedRouteFacts } from '../route-chain.ts';
import { recentAttachments } from './attachment-limits.ts';
import { type AttachmentForm, textWithAttachments } from './attachment-text.ts';

export type PresentedMessages = Pick<ModelRequest, 'messages' | 'blobs'> & {
  /** Number of attachments whose bytes are not sent. When it changes, already sent messages have changed. */
  missing?: number;
};

/** Converts the attachments of a history to a form that a route accepts, and loads the bytes of those that are sent. */
export interface AttachmentPresenter {
  present(messages: readonly Message[], route: ModelRoute, lessons: LearnedRouteFacts): Promise<PresentedMessages>;
  /** The bytes of an attachment as base64; undefined if the blob is missing. */
  load(attachment: Attachment): Promise<string | undefined>;
}

/** One per session; it caches the loaded bytes between requests. */
export function createAttachmentPresenter(store: Pick<SessionStore, 'getBlob'>): AttachmentPresenter {
  let loaded = new Map<string, string>();
  const presented = new WeakMap<UserMessage, { key: string; message: UserMessage }>();

  async function load({ hash }: Attachment): Promise<string | undefined> {
    const known = loaded.get(hash);
    if (known !== undefined) return known;
    const blob = await store.getBlob(hash);
    return blob && Buffer.from(blob.bytes).toString('base64');
  }

  /** Returns the same object for the same form, so that encoders can cache their encoding. */
  function inForm(
    message: UserMessage,
    attachments: readonly Attachment[],
    how: readonly AttachmentForm[],
  ): UserMessage {
    const key = how.join(' ');
    const before = presented.get(message);
    if (before?.key === key) return before.message;
    const text = textWithAttachments(message.sentContent ?? message.content, attachments, how);
    const sent = attachments.filter((_, index) => how[index] === 'sent');
    const copy: UserMessage = { role: 'user', content: text, attachments: sent };
    presented.set(message, { key, message: copy });
    return copy;
  }

  return {
    load,
    async present(messages, route, lessons) {
      if (!messages.some(hasAttachments)) return { messages };
      const recent = recentAttachments(messages);
      const blobs = new Map<string, string>();
      const copies: Message[] = [];
      let missing = 0;
      for (const message of messages) {
        if (!hasAttachments(message)) {
          copies.push(message);
          continue;
        }
        const how: AttachmentForm[] = [];
        for (const attachment of message.attachments) {
          const reason = reasonNotToSend(attachment, { route, lessons, recent });
          const base64 = reason === undefined ? await load(attachment) : undefined;
          if (base64 === undefined) missing += 1;
          else blobs.set(attachment.hash, base64);
          how.push(base64 === undefined ? withoutBytes(attachment, reason ?? 'missing') : 'sent');
        }
        copies.push(inForm(message, message.attachments, how));
      }
      // Forget the bytes of attachments that are no longer sent.
      loaded = blobs;
      return { messages: copies, blobs, missing };
    },
  };
}

type WithAttachments = UserMessage & { attachments: Attachment[] };

function hasAttachments(message: Message): message is WithAttachments {
  return message.role === 'user' && (message.attachments?.length ?? 0) > 0;
}

type SendConditions = { route: ModelRoute; lessons: LearnedRouteFacts; recent: ReadonlySet<Attachment> };

function reasonNotToSend(
  attachment: Attachment,
  { route, lessons, recent }: SendConditions,
): 'unreadable' | 'refused' | 'old' | undefined {
  const { kind, hash } = attachment;
  if (lessons.unreadable.has(kind) || !canRead(route, kind)) return 'unreadable';
  if (lessons.refusedBlobs.has(hash)) return 'refused';
  return recent.has(attachment) ? undefined : 'old';
}

function withoutBytes({ description }: Attachment, reason: AttachmentForm): AttachmentForm {
  return description === undefined ? reason : 'described';
}
