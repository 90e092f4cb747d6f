import { type Attachment, attachmentsOf, type Message, type ToolMessage, type UserMessage } from '../../base/index.ts';
import { canRead, type ModelRequest, type ModelRoute, type SessionStore } from '../../contracts/index.ts';
import type { LearnedRouteFacts } from '../route-chain.ts';
import { recentAttachments } from './attachment-limits.ts';
import { type AttachmentForm, followingImagesText, textWithAttachments } from './attachment-text.ts';

export type PresentedMessages = Pick<ModelRequest, 'messages' | 'blobs'> & {
  /**
   * Number of attachments whose bytes are not sent. A different number means that messages sent earlier have changed.
   */
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
  const presented = new WeakMap<Message, { key: string; message: Message }>();
  const following = createFollowingImages();

  async function load({ hash }: Attachment): Promise<string | undefined> {
    const known = loaded.get(hash);
    if (known !== undefined) return known;
    const blob = await store.getBlob(hash);
    return blob && Buffer.from(blob.bytes).toString('base64');
  }

  /** Returns the same object for the same form, so that encoders can cache their encoding. */
  function inForm(message: WithAttachments, how: readonly AttachmentForm[]): Message {
    const key = how.join(' ');
    const before = presented.get(message);
    if (before?.key === key) return before.message;
    const copy = writeForm(message, how);
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
        copies.push(inForm(message, how));
      }
      // Forget the bytes of attachments that are no longer sent.
      loaded = blobs;
      return { messages: route.client.toolResultImages ? copies : following.move(copies), blobs, missing };
    },
  };
}

type WithAttachments = (UserMessage | ToolMessage) & { attachments: Attachment[] };

function hasAttachments(message: Message): message is WithAttachments {
  return attachmentsOf(message).length > 0;
}

function writeForm(message: WithAttachments, how: readonly AttachmentForm[]): Message {
  const { role, attachments } = message;
  const text = role === 'user' ? (message.sentContent ?? message.content) : message.content;
  const content = textWithAttachments({ role, text }, attachments, how);
  const sent = attachments.filter((_, index) => how[index] === 'sent');
  return role === 'user' ? { role, content, attachments: sent } : { ...message, content, attachments: sent };
}

/**
 * Moves the images of tool results to a user message after all results of the same step. The same results give the
 * same object, so that encoders can cache their encoding.
 */
function createFollowingImages() {
  const followers = new WeakMap<Message, { key: string; message: UserMessage }>();
  const textOnly = new WeakMap<Message, Message>();

  function followerOf(last: Message, images: Attachment[]): UserMessage {
    const key = images.map(({ hash, name }) => `${hash} ${name}`).join('\n');
    const before = followers.get(last);
    if (before?.key === key) return before.message;
    const message: UserMessage = { role: 'user', content: followingImagesText(images), attachments: images };
    followers.set(last, { key, message });
    return message;
  }

  function withoutImages(result: ToolMessage): Message {
    if (!hasAttachments(result)) return result;
    const copy = textOnly.get(result) ?? { ...result, attachments: [] };
    textOnly.set(result, copy);
    return copy;
  }

  return {
    move(messages: readonly Message[]): Message[] {
      const moved: Message[] = [];
      let images: Attachment[] = [];
      for (const [index, message] of messages.entries()) {
        moved.push(message.role === 'tool' ? withoutImages(message) : message);
        if (message.role !== 'tool') continue;
        images.push(...attachmentsOf(message));
        if (messages[index + 1]?.role === 'tool' || images.length === 0) continue;
        moved.push(followerOf(message, images));
        images = [];
      }
      return moved;
    },
  };
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
