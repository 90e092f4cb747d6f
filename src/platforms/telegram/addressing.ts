import type { JsonObject } from '../../base/index.ts';
import { idAt, listAt, numberAt, objectAt, textAt } from '../json-fields.ts';

/** What decides whether a message of a group is meant for the bot. */
export type Addressing = {
  bot: { id: string; username: string };
  /** The name of an offered command by the name that Telegram allows. */
  findCommand(name: string): string | undefined;
};

/**
 * The text of a message and whether it is meant for the bot: it mentions the bot, or is a command that is not for
 * another bot. A mention at the start and the `@bot` of a command are removed.
 */
export function readText(message: JsonObject, addressing: Addressing): { text: string; isAddressed: boolean } {
  const name = textAt(message, 'text') === undefined ? 'caption' : 'text';
  const written = textAt(message, name) ?? '';
  const entities = listAt(message, name === 'text' ? 'entities' : 'caption_entities');
  const username = addressing.bot.username.toLowerCase();
  const isMentioned = entities.some((entity) => isMention(entity, written, addressing.bot));
  const text = withoutMention(showLinks(written, entities), username);
  const command = /^\/(\w+)(?:@(\w+))?(?=\s|$)/.exec(text);
  if (command === null) return { text, isAddressed: isMentioned };
  const [whole, sent = '', receiver] = command;
  if (receiver !== undefined && receiver.toLowerCase() !== username) return { text, isAddressed: isMentioned };
  const known = addressing.findCommand(sent.toLowerCase()) ?? sent;
  return { text: `/${known}${text.slice(whole.length)}`, isAddressed: true };
}

function isMention(entity: JsonObject, text: string, bot: Addressing['bot']): boolean {
  if (textAt(entity, 'type') === 'text_mention') return idAt(objectAt(entity, 'user'), 'id') === bot.id;
  if (textAt(entity, 'type') !== 'mention') return false;
  const offset = numberAt(entity, 'offset') ?? 0;
  const mentioned = text.slice(offset, offset + (numberAt(entity, 'length') ?? 0));
  return mentioned.toLowerCase() === `@${bot.username.toLowerCase()}`;
}

function withoutMention(text: string, username: string): string {
  const [mention = ''] = /^@\w+[,:]?\s+/.exec(text) ?? [];
  return mention.replace(/[,:]?\s+$/, '').toLowerCase() === `@${username}` ? text.slice(mention.length) : text;
}

/** Adds the addresses behind labels, which are part of what the user sent. */
function showLinks(text: string, entities: readonly JsonObject[]): string {
  let shown = text;
  for (const entity of entities.toReversed()) {
    const url = textAt(entity, 'url');
    const end = (numberAt(entity, 'offset') ?? 0) + (numberAt(entity, 'length') ?? 0);
    if (textAt(entity, 'type') !== 'text_link' || url === undefined || end > text.length) continue;
    shown = `${shown.slice(0, end)} (${url})${shown.slice(end)}`;
  }
  return shown;
}
