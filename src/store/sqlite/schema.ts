/** The schema version of the original. Its tables are not changed, because both programs share the file. */
export const SCHEMA_VERSION = 6;

export const CREATE_VERSION_TABLE = 'CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL);';

export const CREATE_TABLES = `
CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY,
    source TEXT NOT NULL,
    user_id TEXT,
    model TEXT,
    model_config TEXT,
    system_prompt TEXT,
    parent_session_id TEXT,
    started_at REAL NOT NULL,
    ended_at REAL,
    end_reason TEXT,
    message_count INTEGER DEFAULT 0,
    tool_call_count INTEGER DEFAULT 0,
    input_tokens INTEGER DEFAULT 0,
    output_tokens INTEGER DEFAULT 0,
    cache_read_tokens INTEGER DEFAULT 0,
    cache_write_tokens INTEGER DEFAULT 0,
    reasoning_tokens INTEGER DEFAULT 0,
    billing_provider TEXT,
    billing_base_url TEXT,
    billing_mode TEXT,
    estimated_cost_usd REAL,
    actual_cost_usd REAL,
    cost_status TEXT,
    cost_source TEXT,
    pricing_version TEXT,
    title TEXT,
    FOREIGN KEY (parent_session_id) REFERENCES sessions(id)
);
CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL REFERENCES sessions(id),
    role TEXT NOT NULL,
    content TEXT,
    tool_call_id TEXT,
    tool_calls TEXT,
    tool_name TEXT,
    timestamp REAL NOT NULL,
    token_count INTEGER,
    finish_reason TEXT,
    reasoning TEXT,
    reasoning_details TEXT,
    codex_reasoning_items TEXT
);
CREATE INDEX IF NOT EXISTS idx_sessions_source ON sessions(source);
CREATE INDEX IF NOT EXISTS idx_sessions_parent ON sessions(parent_session_id);
CREATE INDEX IF NOT EXISTS idx_sessions_started ON sessions(started_at DESC);
CREATE INDEX IF NOT EXISTS idx_messages_session ON messages(session_id, timestamp);
`;

export const CREATE_TITLE_INDEX =
  'CREATE UNIQUE INDEX IF NOT EXISTS idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL;';

export const CREATE_SEARCH_INDEX = `
CREATE VIRTUAL TABLE IF NOT EXISTS messages_fts USING fts5(
    content,
    content=messages,
    content_rowid=id
);
CREATE TRIGGER IF NOT EXISTS messages_fts_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content);
END;
CREATE TRIGGER IF NOT EXISTS messages_fts_delete AFTER DELETE ON messages BEGIN
    INSERT INTO messages_fts(messages_fts, rowid, content) VALUES('delete', old.id, old.content);
END;
CREATE TRIGGER IF NOT EXISTS messages_fts_update AFTER UPDATE ON messages BEGIN
    INSERT INTO messages_fts(messages_fts, rowid, content) VALUES('delete', old.id, old.content);
    INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content);
END;
`;

/** The version of our own tables and columns, which the original ignores. */
export const OWN_VERSION = 15;

/** `attachments` was added in version 4. */
export const OWN_MESSAGE_COLUMNS = [
  'sent_content TEXT',
  'producer TEXT',
  'tool_status TEXT',
  'copy_of INTEGER',
  'attachments TEXT',
];
/** `purpose` was added in version 3; NULL is the chat itself. `cache_miss` was added in version 15. */
export const OWN_CALL_COLUMNS = ['purpose TEXT', 'cache_miss TEXT'];

/**
 * Calls have no foreign key, because money stays spent when a session is deleted. The foreign key of turns cascades,
 * because otherwise the original could not delete a session.
 */
export const CREATE_OWN_TABLES = `
CREATE TABLE IF NOT EXISTS hermes_ts_version (version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS model_calls (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    task_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    base_url TEXT NOT NULL,
    started_at REAL NOT NULL,
    duration_ms REAL NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cache_read_tokens INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    cost_usd REAL NOT NULL,
    cost_status TEXT NOT NULL,
    cost_source TEXT,
    pricing_version TEXT,
    outcome TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_model_calls_session ON model_calls(session_id);
CREATE INDEX IF NOT EXISTS idx_model_calls_started ON model_calls(started_at);
CREATE TABLE IF NOT EXISTS turns (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    task_id TEXT NOT NULL,
    started_at REAL NOT NULL,
    ended_at REAL NOT NULL,
    exit_reason TEXT NOT NULL,
    api_calls INTEGER NOT NULL,
    tool_calls INTEGER NOT NULL,
    model TEXT NOT NULL,
    provider TEXT NOT NULL,
    error TEXT
);
CREATE INDEX IF NOT EXISTS idx_turns_session ON turns(session_id);
`;

/**
 * Tables added in version 2, branches in version 3. Leases have no foreign key, because a lease is acquired before
 * the session is created. Blob references and branches cascade, so that the original can still delete a session.
 * `session_removals` lists sessions whose files have yet to be deleted.
 */
export const CREATE_SESSION_TABLES = `
CREATE TABLE IF NOT EXISTS session_leases (
    session_id TEXT PRIMARY KEY,
    token TEXT NOT NULL,
    pid INTEGER NOT NULL,
    host TEXT NOT NULL,
    surface TEXT NOT NULL,
    process_scope TEXT,
    ttl_ms REAL NOT NULL,
    acquired_at REAL NOT NULL,
    renewed_at REAL NOT NULL,
    released INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS blob_references (
    session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    media_type TEXT NOT NULL,
    PRIMARY KEY (session_id, hash)
);
CREATE INDEX IF NOT EXISTS idx_blob_references_hash ON blob_references(hash);
CREATE TABLE IF NOT EXISTS session_branches (
    session_id TEXT PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE
);
CREATE TABLE IF NOT EXISTS session_removals (session_id TEXT PRIMARY KEY);
CREATE INDEX IF NOT EXISTS idx_messages_copies ON messages(copy_of) WHERE copy_of IS NOT NULL;
`;

/**
 * Undone messages, added in version 5: rows of `messages` as they were, invisible to everything that reads that
 * table. A batch contains the messages that were undone together and is identified by the id of the first one.
 */
export const CREATE_UNDONE_MESSAGES = `
CREATE TABLE IF NOT EXISTS undone_messages (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    content TEXT,
    tool_call_id TEXT,
    tool_calls TEXT,
    tool_name TEXT,
    timestamp REAL NOT NULL,
    token_count INTEGER,
    finish_reason TEXT,
    reasoning TEXT,
    reasoning_details TEXT,
    codex_reasoning_items TEXT,
    sent_content TEXT,
    producer TEXT,
    tool_status TEXT,
    copy_of INTEGER,
    attachments TEXT,
    batch INTEGER NOT NULL,
    undone_at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_undone_messages_session ON undone_messages(session_id);
CREATE INDEX IF NOT EXISTS idx_undone_messages_batch ON undone_messages(batch);
`;

/** Indexes added in version 3, for finding the newest session, in total or by source. */
export const CREATE_LOOKUP_INDEXES = `
CREATE INDEX IF NOT EXISTS idx_messages_time ON messages(timestamp);
CREATE INDEX IF NOT EXISTS idx_source_sessions ON sessions(source, started_at);
`;

/**
 * Our own search index, in addition to the original's word index of contents. `message_terms` has a row for each
 * message that needs one: with unspaced script, tool calls or a tool name. It stores neither text nor positions.
 *
 * The original does not know it and may run with an older SQLite, so the triggers use plain tables only. They record
 * changes in the indexed range, `indexed_from` to `indexed_through`; the index catch-up processes these, newer
 * messages, and older ones. `message_terms_tools` contains the tool names that occur in results: the content of a
 * result is only in the original's index, so a query for both must be compared with the text.
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

/** Empties our own index, corrupt or not; it is then filled again, newest messages first. */
export const RESET_MESSAGE_TERMS = `
INSERT INTO message_terms(message_terms) VALUES ('delete-all');
DELETE FROM message_terms_stale;
UPDATE message_terms_state SET indexed_through = (SELECT COALESCE(MAX(id), 0) FROM messages),
indexed_from = (SELECT COALESCE(MAX(id), 0) + 1 FROM messages);
`;
