export const CALLS = 'SELECT * FROM model_calls WHERE session_id = ? ORDER BY id';

// The answer to a call that began after the newest one was taken back.
export const LAST_CALL = `SELECT * FROM model_calls WHERE session_id = ?1 AND purpose IS NULL AND outcome = 'ok'
AND started_at <= (SELECT timestamp FROM messages WHERE session_id = ?1 AND role = 'assistant' ORDER BY timestamp DESC LIMIT 1)
ORDER BY id DESC LIMIT 1`;
