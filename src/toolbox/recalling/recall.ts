import { relatedSessions, type SessionReader, type ToolContext } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import type { SessionSearchArguments } from '../session-search.ts';
import { findSessions } from './find-sessions.ts';
import { listNewest } from './list-newest.ts';
import { readAround, readSession, searchSession } from './read-session.ts';
import { lineageOf, type Recalling } from './recalling.ts';

const MOST_SESSIONS = 10;
const WIDEST_WINDOW = 20;

/** Does what a call of `session_search` asks for: find, read, read around a message, or list. */
export async function recall(args: SessionSearchArguments, context: ToolContext): Promise<string> {
  const { sessions } = context.services;
  if (sessions === undefined) throw new ToolFailure('No sessions are stored here.');
  const query = args.query?.trim() ?? '';
  const limits = { limit: clamp(args.limit, MOST_SESSIONS), window: clamp(args.window, WIDEST_WINDOW) };
  const recalling: Recalling = { sessions, ...limits, roles: rolesOf(args.role_filter) };
  if (args.session_id === undefined) {
    const own = await relatedSessions(sessions, context.sessionId);
    return query === '' ? listNewest(recalling, own) : findSessions(recalling, query, own);
  }
  const lineage = await lineageNamed(sessions, args.session_id);
  if (args.around_message_id !== undefined) return readAround(recalling, lineage, args.around_message_id);
  return query === '' ? readSession(recalling, lineage) : searchSession(recalling, lineage, query);
}

async function lineageNamed(sessions: SessionReader, reference: string): Promise<string[]> {
  const found = await sessions.resolveSession(reference.trim());
  if (found === undefined) throw new ToolFailure(`There is no session "${reference}". Search for it with query.`);
  return lineageOf(sessions, found.id);
}

function rolesOf(filter: string): Recalling['roles'] {
  const asked = filter.toLowerCase().split(/[\s,]+/);
  const roles = (['user', 'assistant', 'tool'] as const).filter((role) => asked.includes(role));
  return roles.length === 0 ? ['user', 'assistant'] : roles;
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(Math.trunc(value), 1), most);
}
