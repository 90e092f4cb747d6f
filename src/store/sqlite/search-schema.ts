/**
 * Our own part of the search, beside the seed's index of words in contents. `message_terms` has a row for a message
 * that needs one: with script in it, tool calls or a tool's name. It keeps neither text nor positions.
 *
 * The original knows nothing of it and may run with an older SQLite, so the triggers touch plain tables only. They
 * note what changed in the part that was looked at already, `indexed_from` to `indexed_through`; we catch up on that,
 * on what came after it, and on what there was before. `message_terms_tools` has the names of tools met in results: the
 * content of a result is in the seed's index only, so a query that asks for both has to be compared.
 */
export const CREATE_MESSAGE_TERMS = `
CREATE VIRTUAL TABLE IF NOT EXISTS message_terms USING fts5(
    terms, content='', contentless_delete=1, detail=none, tokenize=ascii
);
CREATE TABLE IF NOT EXISTS message_terms_state (indexed_from INTEGER NOT NULL, indexed_through INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS message_terms_stale (message_id INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS message_terms_tools (name TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO message_terms_state
SELECT (SELECT COALESCE(MAX(id), 0) + 1 FROM messages), (SELECT COALESCE(MAX(id), 0) FROM messages)
WHERE NOT EXISTS (SELECT 1 FROM message_terms_state);
CREATE TRIGGER IF NOT EXISTS message_terms_insert AFTER INSERT ON messages
WHEN new.id <= (SELECT indexed_through FROM message_terms_state) BEGIN
    INSERT INTO message_terms_stale VALUES (new.id);
END;
CREATE TRIGGER IF NOT EXISTS message_terms_delete AFTER DELETE ON messages BEGIN
    INSERT INTO message_terms_stale VALUES (old.id);
END;
CREATE TRIGGER IF NOT EXISTS message_terms_update AFTER UPDATE OF id, content, tool_name, tool_calls ON messages BEGIN
    INSERT INTO message_terms_stale VALUES (old.id), (new.id);
END;
CREATE VIRTUAL TABLE IF NOT EXISTS messages_fts_words USING fts5vocab(messages_fts, instance);
CREATE VIRTUAL TABLE IF NOT EXISTS message_terms_words USING fts5vocab(message_terms, instance);
`;

/** Throws our own index away, damaged or not; it is then filled again from the newest message on. */
export const RESET_MESSAGE_TERMS = `
INSERT INTO message_terms(message_terms) VALUES ('delete-all');
DELETE FROM message_terms_stale;
UPDATE message_terms_state SET indexed_through = (SELECT COALESCE(MAX(id), 0) FROM messages),
indexed_from = (SELECT COALESCE(MAX(id), 0) + 1 FROM messages);
`;
