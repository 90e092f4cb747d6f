import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, isJsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import type { OriginalSession } from './chats/chat-sessions.ts';

/** A file of the original is small; something else is not read. */
const MAX_BYTES = 64_000_000;

/**
 * Reads which sessions the original used for its chats, by key, from `sessions/sessions.json`. Entries that are not
 * valid are reported together and left out.
 */
export async function readOriginalSessions(
  home: string,
  onProblem: (problem: string) => void,
): Promise<ReadonlyMap<string, OriginalSession>> {
  const file = join(home, 'sessions', 'sessions.json');
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') onProblem(`${file} cannot be read: ${errorMessage(thrown)}`);
    return undefined;
  });
  if (text === undefined || text.trim() === '') return new Map();
  const content = text.length > MAX_BYTES ? undefined : parseJson(text);
  if (!isJsonObject(content)) {
    onProblem(`${file} is not a JSON object. Chats of the original start new sessions.`);
    return new Map();
  }
  const entries = Object.entries(content).map(([key, value]) => [key, readEntry(value)] as const);
  const valid = entries.filter((entry): entry is [string, OriginalSession] => entry[1] !== undefined);
  const broken = entries.length - valid.length;
  if (broken > 0) onProblem(`${file}: ${broken} of ${entries.length} entries are not valid and are ignored.`);
  return new Map(valid);
}

function readEntry(value: JsonValue | undefined): OriginalSession | undefined {
  const sessionId = isJsonObject(value) ? value['session_id'] : undefined;
  if (!isJsonObject(value) || typeof sessionId !== 'string' || sessionId === '') return undefined;
  const written = value['updated_at'];
  const time = typeof written === 'string' ? Date.parse(written) : Number.NaN;
  return { sessionId, updatedAt: Number.isNaN(time) ? undefined : time, isSuspended: value['suspended'] === true };
}
