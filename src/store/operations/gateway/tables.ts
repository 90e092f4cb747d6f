/**
 * The tables of the messaging gateway. `waiting_since` is the time of the oldest unfinished message of a chat, or NULL,
 * so that a worker finds chats to work on without reading the inbox. `turn_after` is the id of the newest stored message
 * of a session when the turn was assigned.
 */
export const CREATE_GATEWAY_TABLES = `
CREATE TABLE IF NOT EXISTS gateway_accounts (
    account {textKey} PRIMARY KEY,
    holder TEXT,
    holder_token {textKey},
    leased_until DOUBLE PRECISION NOT NULL,
    cursor_value TEXT
);
CREATE TABLE IF NOT EXISTS gateway_conversations (
    key {textKey} PRIMARY KEY,
    account {textKey} NOT NULL,
    source TEXT NOT NULL,
    session_id {textKey},
    settings TEXT NOT NULL,
    waiting_since DOUBLE PRECISION,
    owner TEXT,
    owner_token {textKey},
    leased_until DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_gateway_waiting ON gateway_conversations(waiting_since) WHERE waiting_since IS NOT NULL;
CREATE TABLE IF NOT EXISTS gateway_inbox (
    id {serialKey},
    conversation_key {textKey} NOT NULL,
    account {textKey} NOT NULL,
    external_id {textKey} NOT NULL,
    kind TEXT NOT NULL,
    author TEXT NOT NULL,
    body TEXT NOT NULL,
    sent_at DOUBLE PRECISION NOT NULL,
    received_at DOUBLE PRECISION NOT NULL,
    state TEXT NOT NULL,
    turn_id TEXT,
    turn_after BIGINT,
    attempts INTEGER NOT NULL,
    UNIQUE (account, external_id)
);
CREATE INDEX IF NOT EXISTS idx_gateway_inbox_open ON gateway_inbox(conversation_key, id)
WHERE state IN ('waiting', 'working');
CREATE TABLE IF NOT EXISTS gateway_outbox (
    sequence {serialKey},
    id {textKey} NOT NULL UNIQUE,
    conversation_key {textKey} NOT NULL,
    account {textKey} NOT NULL,
    kind TEXT NOT NULL,
    priority INTEGER NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    may_have_arrived INTEGER NOT NULL,
    not_before DOUBLE PRECISION NOT NULL,
    holder_token TEXT,
    platform_ids TEXT,
    error TEXT,
    created_at DOUBLE PRECISION NOT NULL,
    sent_at DOUBLE PRECISION
);
CREATE INDEX IF NOT EXISTS idx_gateway_outbox_open ON gateway_outbox(account, conversation_key, priority, sequence)
WHERE state IN ('pending', 'sending');
`;

/** `gateway_pairing_limits` has the entries of the original's file with the same purpose. */
export const CREATE_PAIRING_TABLES = `
CREATE TABLE IF NOT EXISTS gateway_people (
    platform {textKey} NOT NULL,
    user_id {textKey} NOT NULL,
    user_name TEXT NOT NULL,
    approved_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (platform, user_id)
);
CREATE TABLE IF NOT EXISTS gateway_pairing (
    code_hash {textKey} PRIMARY KEY,
    code_salt TEXT NOT NULL,
    platform {textKey} NOT NULL,
    user_id {textKey} NOT NULL,
    user_name TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL
);
CREATE TABLE IF NOT EXISTS gateway_pairing_limits (
    name {textKey} PRIMARY KEY,
    amount DOUBLE PRECISION NOT NULL
);
`;
