import { randomUUID } from 'node:crypto';
import { access, appendFile, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The length of a message, in UTF-16 code units. */
const MAX_TEXT = 4000;
const CHAT = 'folder';

/**
 * A failed call. Hermes decides by the fault what happens next: it repeats what is `transient`, and gives up an account
 * that is `fatal`.
 * @param {string} fault
 * @param {string} message
 */
const failure = (fault, message) => Object.assign(new Error(message), { fault });

/**
 * The chat of a folder: each line of `inbox.jsonl` is a message to Hermes, each line of `outbox.jsonl` an answer.
 * @param {{ folder: string, pollMs?: number }} options
 * @returns {import('hermes-agent-ts').Channel}
 */
export function createFolderChannel({ folder, pollMs = 1000 }) {
  const [inbox, outbox] = [join(folder, 'inbox.jsonl'), join(folder, 'outbox.jsonl')];
  return {
    facts: {
      platform: 'folder_chat',
      maxText: MAX_TEXT,
      textUnit: 'utf16',
      hasButtons: false,
      streaming: 'none',
      maxUploadBytes: 0,
      maxDownloadBytes: 0,
      repeats: 'none',
      rates: { account: { count: 100, perMs: 1000 }, chat: { count: 100, perMs: 1000 } },
      silenceMs: 60_000,
    },
    render,
    async identify(signal) {
      signal.throwIfAborted();
      await access(folder).catch(() => {
        throw failure('fatal', `The folder ${folder} cannot be read.`);
      });
      return { account: `folder_chat:${folder}`, name: folder };
    },
    async receive({ cursor, deliver, onAlive, signal }) {
      let offset = Number(cursor?.offset ?? 0);
      while (!signal.aborted) {
        const { events, end } = await readNewLines(inbox, offset);
        // Only what is stored is behind the cursor: after a crash, the rest is read again.
        if (end > offset) await deliver(events, { offset: end });
        offset = end;
        onAlive();
        await sleep(pollMs, undefined, { signal }).catch(() => undefined);
      }
    },
    async send({ target, content, file }, { signal }) {
      if (signal.aborted) throw failure('transient', 'The call was aborted.');
      if (file !== undefined) throw failure('rejected', 'The folder has no files.');
      if (content === undefined) throw failure('rejected', 'A message needs a text.');
      if (target.chatId !== CHAT) throw failure('not_found', `There is no chat ${target.chatId}.`);
      if (content.text.length > MAX_TEXT) throw failure('too_long', `The text is longer than ${MAX_TEXT}.`);
      const id = randomUUID();
      await appendFile(outbox, `${JSON.stringify({ id, replyTo: target.replyTo, text: content.text })}\n`);
      return { id };
    },
    edit: async () => {
      throw failure('rejected', 'Messages in a folder cannot be edited.');
    },
    fetchFile: async () => {
      throw failure('rejected', 'The folder has no files.');
    },
    close: async () => undefined,
  };
}

/**
 * Markdown is sent as it is, in pieces, without the lines around code.
 * @param {string} markdown
 */
export function render(markdown) {
  const rest = [...markdown.replace(/^```.*$/gm, '')];
  const pieces = [];
  // A character can be two code units, so that this number always fits.
  while (rest.length > 0) pieces.push(rest.splice(0, MAX_TEXT / 2).join(''));
  return pieces.filter((text) => /[^\s\p{Cc}\u200b-\u200f\ufeff]/u.test(text)).map((text) => ({ text }));
}

/**
 * @param {string} file
 * @param {number} offset
 */
async function readNewLines(file, offset) {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size <= offset) return { events: [], end: offset };
  const bytes = (await readFile(file)).subarray(offset);
  // A line without its end is still being written.
  const length = bytes.lastIndexOf(10) + 1;
  const lines = bytes.subarray(0, length).toString().split('\n');
  return { events: lines.flatMap(toEvent), end: offset + length };
}

/**
 * What other programs write is not trusted: lines that are not messages are skipped.
 * @param {string} line
 */
function toEvent(line) {
  /** @type {{ id?: unknown, user?: unknown, text?: unknown } | undefined} */
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return [];
  }
  const { id, user, text } = message ?? {};
  if (typeof id !== 'string' || typeof user !== 'string' || typeof text !== 'string') return [];
  const source = { platform: 'folder_chat', chatType: /** @type {const} */ ('dm'), chatId: CHAT, userId: user };
  const content = { messageId: id, text, files: [], isAddressed: true };
  return [{ id, kind: /** @type {const} */ ('message'), source, sentAt: Date.now(), content }];
}
