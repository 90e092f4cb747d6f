import { randomUUID } from 'node:crypto';
import type { ChannelEvent } from '../../contracts/index.ts';
import { foldName, type IrcLine, nickOf } from './line.ts';

type ReaderOptions = {
  /** The nickname of this connection, and the one that people know. */
  nickname: string;
  requireMention?: boolean;
  now(): number;
};

/** Marks both ends of a request to the client. */
const REQUEST = '\u0001';
const ACTION = `${REQUEST}ACTION `;

/** Converts the lines of users into events. IRC gives messages no ids, and delivers each of them once. */
export function createReader({ nickname, requireMention = true, now }: ReaderOptions) {
  return ({ command, prefix, params: [target = '', text = ''], tags }: IrcLine): ChannelEvent | undefined => {
    const nick = nickOf(prefix);
    if (command !== 'PRIVMSG' || !prefix.includes('!') || foldName(nick) === foldName(nickname)) return undefined;
    const isDirect = foldName(target) === foldName(nickname);
    const said = isDirect ? { text, isMention: true } : readMention(stripAction(text), nickname);
    // Requests of programs, such as VERSION, are no messages.
    if (text.startsWith(REQUEST) && !text.startsWith(ACTION)) return undefined;
    const id = randomUUID();
    const account = tags.get('account');
    return {
      id,
      kind: 'message',
      source: {
        platform: 'irc',
        chatType: isDirect ? 'dm' : 'group',
        chatId: isDirect ? nick : target,
        // Any user can take a nickname that nobody uses.
        userId: account === undefined ? prefix : `account:${account}`,
        userName: nick,
        ...(!isDirect && { chatName: target }),
      },
      sentAt: now(),
      content: {
        messageId: id,
        text: isDirect ? stripAction(text) : said.text,
        files: [],
        isAddressed: said.isMention || !requireMention,
      },
    };
  };
}

/** The text of `/me does something`. */
const stripAction = (text: string) => (text.startsWith(ACTION) ? text.slice(ACTION.length).replace(REQUEST, '') : text);

/** `hermes: hello` and a nickname anywhere in the text are mentions; one at the start is removed. */
function readMention(text: string, nickname: string): { text: string; isMention: boolean } {
  const name = nickname.replace(/[^\w]/g, String.raw`\$&`);
  const start = new RegExp(`^@?${name}[:,]\\s*`, 'i');
  const anywhere = new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'i');
  return { text: text.replace(start, ''), isMention: anywhere.test(text) };
}
