/** The tables of the API server. They refer to sessions, and contain no messages. */
export const CREATE_API_TABLES = `
CREATE TABLE IF NOT EXISTS api_sessions (
    session_id {textKey} PRIMARY KEY,
    owner {textKey} NOT NULL,
    used_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_api_sessions_owner ON api_sessions(owner, used_at);
CREATE TABLE IF NOT EXISTS api_prefixes (
    hash {textKey} PRIMARY KEY,
    session_id {textKey} NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    message_id BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_api_prefixes_session ON api_prefixes(session_id);
CREATE TABLE IF NOT EXISTS api_runs (
    id {textKey} PRIMARY KEY,
    owner TEXT NOT NULL,
    session_id TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    ended_at DOUBLE PRECISION,
    result TEXT
);
CREATE TABLE IF NOT EXISTS api_streams (
    id {textKey} PRIMARY KEY,
    holder TEXT NOT NULL,
    leased_until DOUBLE PRECISION NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    ended INTEGER NOT NULL DEFAULT 0,
    last_sequence BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS api_events (
    stream_id {textKey} NOT NULL REFERENCES api_streams(id) ON DELETE CASCADE,
    sequence BIGINT NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (stream_id, sequence)
);
`;
