import type { Channel, ChatTarget, ClaimedChat, NewOutgoing, OutgoingKind } from '../../../contracts/index.ts';
import { redactSecrets } from '../../../util/index.ts';
import { type OutgoingBody, toBody } from '../accounts/outbox-sender.ts';

export type OutgoingText = {
  /** Identifies the text within its chat. */
  id: string;
  kind: OutgoingKind;
  /** Markdown. */
  text: string;
  target: ChatTarget;
  /** Messages of the platform that show an earlier version of the text; they are edited, and removed if too many. */
  replaces?: readonly string[];
  now: number;
};

/** The messages of the platform that a text needs, with credentials redacted. */
export function toOutgoing(
  channel: Pick<Channel, 'render'>,
  { key, conversation }: ClaimedChat,
  { id, kind, text, target, replaces = [], now }: OutgoingText,
): NewOutgoing[] {
  const { account, source } = conversation;
  const isGroup = source['chatType'] !== 'dm';
  const pieces = channel.render(redactSecrets(text));
  const count = Math.max(pieces.length, replaces.length);
  return Array.from({ length: count }, (_, index) => {
    const body: OutgoingBody = { target, isGroup };
    const [content, platformId] = [pieces[index], replaces[index]];
    if (content !== undefined) body.content = content;
    if (platformId !== undefined) body.replaces = { platformId };
    return { key, account, id: `${key}/${id}/${index}`, kind, body: toBody(body), createdAt: now };
  });
}
