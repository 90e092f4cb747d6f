/**
 * Tables of ours that came with version 2, branches with version 3. Leases refer to no session, because one is taken
 * before the session is made. References to blobs and marks of branches cascade, so that the original can still delete a
 * session; removals are sessions whose files are still to be taken away.
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
 * What was taken back, which came with version 5: rows of `messages` as they were, out of reach of everything that reads
 * those. A batch is what was taken back at once, by the id of its first message.
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

/** Indexes that came with version 3: the newest session of all, or of a source, is found without asking each. */
export const CREATE_LOOKUP_INDEXES = `
CREATE INDEX IF NOT EXISTS idx_messages_time ON messages(timestamp);
CREATE INDEX IF NOT EXISTS idx_source_sessions ON sessions(source, started_at);
`;
