/** What the API server remembers of responses and conversations. Their messages are in `messages`. */
export const CREATE_RESPONSE_TABLES = `
CREATE TABLE IF NOT EXISTS api_responses (
    id {textKey} PRIMARY KEY,
    owner {textKey} NOT NULL,
    conversation_id {textKey},
    session_id {textKey} NOT NULL,
    after_message BIGINT NOT NULL,
    last_message BIGINT,
    status TEXT NOT NULL,
    process TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    ended_at DOUBLE PRECISION,
    expires_at DOUBLE PRECISION NOT NULL,
    request TEXT NOT NULL,
    result TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_api_responses_session ON api_responses(session_id);
CREATE INDEX IF NOT EXISTS idx_api_responses_open ON api_responses(created_at) WHERE ended_at IS NULL;
CREATE INDEX IF NOT EXISTS idx_api_responses_expiry ON api_responses(expires_at);
CREATE TABLE IF NOT EXISTS api_conversations (
    id {textKey} PRIMARY KEY,
    owner {textKey} NOT NULL,
    name {textKey},
    session_id {textKey} NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    metadata TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_api_conversations_name ON api_conversations(owner, name) WHERE name IS NOT NULL;
`;
