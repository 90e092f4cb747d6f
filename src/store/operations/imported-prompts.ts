import type { Transaction, Work } from '../database.ts';

/**
 * The sessions whose system prompt came with an import. Such a prompt is kept for exports and is never sent,
 * because the author of the file could have written anything into it.
 */
export const CREATE_IMPORTED_PROMPTS = `
CREATE TABLE IF NOT EXISTS imported_prompts (
    session_id {textKey} PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE
);
`;

const MARK = 'INSERT INTO imported_prompts (session_id) VALUES (?1) ON CONFLICT DO NOTHING';
const UNMARK = 'DELETE FROM imported_prompts WHERE session_id = ?1';

export const isPromptImported = (session: string) =>
  `EXISTS (SELECT 1 FROM imported_prompts i WHERE i.session_id = ${session}.id)`;

export function* markPromptAsImported(db: Transaction, id: string): Work<void> {
  yield* db.run(MARK, id);
}

/** For a prompt that was built here. */
export function* markPromptAsOwn(db: Transaction, id: string): Work<void> {
  yield* db.run(UNMARK, id);
}
