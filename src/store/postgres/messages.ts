import type { MessageTable, NewMessage, Transaction, Work } from '../database.ts';
import { MESSAGE_COLUMNS, messageValues } from '../rows/message-columns.ts';
import type { MessageRow, StoredRow } from '../rows/message-row.ts';
import { indexTerms } from '../search/index-terms.ts';
import { messageText } from '../search/message-text.ts';
import { toArrayText } from './text-codec.ts';

/**
 * Values per message: the session, the columns and the terms. More messages than MAX_CONCURRENT take several
 * statements.
 */
const VALUES_EACH = 17;
const MAX_CONCURRENT = 40;
const SELECT = `SELECT id, ${MESSAGE_COLUMNS} FROM messages WHERE session_id = ?1 AND id > ?2 ORDER BY id`;
const SELECT_PAGE = `${SELECT} LIMIT CAST(?3 AS BIGINT)`;

/** The server accepts one megabyte of terms per message, including their positions in the index. */
const MAX_TERMS = 15_000;
const MAX_BYTES = 600_000;

export const MESSAGE_TABLE: MessageTable = {
  ownColumn: 'terms',
  insert: insertMessages,
  read: (db, sessionId, { after = 0, limit } = {}) =>
    limit === undefined
      ? db.all<StoredRow>(SELECT, sessionId, after)
      : db.all<StoredRow>(SELECT_PAGE, sessionId, after, limit),
};

/** As few statements as possible, because each is a round trip. */
function* insertMessages(db: Transaction, sessionId: string, messages: readonly NewMessage[]): Work<void> {
  for (let from = 0; from < messages.length; from += MAX_CONCURRENT) {
    const some = messages.slice(from, from + MAX_CONCURRENT);
    yield* db.run(
      insertStatement(some.length),
      ...some.flatMap((message) => [...messageValues(sessionId, message), termsOf(message.row)]),
    );
  }
}

function insertStatement(messages: number): string {
  const tuples = Array.from({ length: messages }, (_, message) => {
    const names = Array.from({ length: VALUES_EACH }, (_value, value) => `?${message * VALUES_EACH + value + 1}`);
    const terms = `array_to_tsvector(${names.pop()}::text[])`;
    return `(${[...names, terms].join(', ')})`;
  });
  return `INSERT INTO messages (session_id, ${MESSAGE_COLUMNS}, terms) VALUES ${tuples.join(', ')}`;
}

/** The search terms as an array; NULL if there are too many, in which case every search reads the message. */
function termsOf(row: MessageRow): string | null {
  const terms = [...indexTerms(messageText({ ...row, content: row.content ?? '' }))];
  if (terms.length > MAX_TERMS) return null;
  const list = toArrayText(terms);
  return Buffer.byteLength(list) > MAX_BYTES ? null : list;
}
