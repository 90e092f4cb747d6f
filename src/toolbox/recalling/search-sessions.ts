import { errorMessage } from '../../base/index.ts';
import {
  type MessageHit,
  uniqueMessages,
  relatedSessions,
  type SessionReader,
  type StoredMessage,
  type ToolContext,
  type UnimportedSessions,
} from '../../contracts/index.ts';
import { OwnText, type ToolAnswer, ToolFailure } from '../../tools/index.ts';
import { localTime, quoteShellWord } from '../../util/index.ts';
import type { SessionSearchArguments } from '../session-search.ts';
import { withNearest } from './nearest-text.ts';
import { HIDDEN_SOURCES, lineageOf, messageLine, type SessionSearchOptions, wholeMessage } from './session-text.ts';

const MAX_SESSIONS = 10;
const WIDEST_WINDOW = 20;

/** Runs a `session_search` call: search, read a session, read around a message, or list. */
export async function runSessionSearch(args: SessionSearchArguments, context: ToolContext): Promise<ToolAnswer> {
  const { sessions } = context.services;
  if (sessions === undefined) throw new ToolFailure('No session store is available here.');
  const query = args.query?.trim() ?? '';
  const limits = { limit: clamp(args.limit, MAX_SESSIONS), window: clamp(args.window, WIDEST_WINDOW) };
  const summarise = summariser(context);
  const recalling: SessionSearchOptions = { sessions, ...limits, roles: rolesOf(args.role_filter), summarise };
  if (args.session_id === undefined) {
    const own = await relatedSessions(sessions, context.sessionId);
    const found = await (query === '' ? listNewest(recalling, own) : findSessions(recalling, query, own));
    return noteUnimported(found, await context.services.unimportedSessions?.());
  }
  const lineage = await lineageNamed(sessions, args.session_id);
  if (args.around_message_id !== undefined) return readAround(recalling, lineage, args.around_message_id);
  return query === '' ? readSession(recalling, lineage) : searchSession(recalling, lineage, query);
}

/** Without a summary, the result still has the hits, so a failed model is only logged. */
function summariser({ services, signal, sessionId, taskId, logger }: ToolContext): SessionSearchOptions['summarise'] {
  const { summariseSession } = services;
  return (
    summariseSession &&
    ((found) =>
      summariseSession(found, { signal, sessionId, taskId }).catch((thrown: unknown) => {
        signal.throwIfAborted();
        logger.warn('could not summarise a session', { error: errorMessage(thrown) });
        return '';
      }))
  );
}

/** Without this note, a model would conclude that the user never talked about something. */
function noteUnimported(found: string | OwnText, unimported: UnimportedSessions | undefined): ToolAnswer {
  if (unimported === undefined) return found;
  const { missing, file } = unimported;
  const note = `${missing} sessions of an earlier Hermes installation were not searched. The user can import them with: hermes sessions import ${quoteShellWord(file)}`;
  return typeof found === 'string' ? `${found}\n\n${note}` : new OwnText(`${found.text}\n\n${note}`);
}

async function lineageNamed(sessions: SessionReader, reference: string): Promise<string[]> {
  const found = await sessions.resolveSession(reference.trim());
  if (found === undefined)
    throw new ToolFailure(`Session not found: "${reference}". Search for the session with query.`);
  return lineageOf(sessions, found.id);
}

function rolesOf(filter: string): SessionSearchOptions['roles'] {
  const asked = filter.toLowerCase().split(/[\s,]+/);
  const roles = (['user', 'assistant', 'tool'] as const).filter((role) => asked.includes(role));
  return roles.length === 0 ? ['user', 'assistant'] : roles;
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(Math.trunc(value), 1), most);
}

/** How many hits are grouped into sessions. */
const SEARCHED_HITS = 100;
const HITS_PER_SESSION = 3;

const TRY_OTHERWISE = 'Try other words.';

/** `partial`: none of the hits has all words. */
type Found = { lineage: readonly string[]; hits: MessageHit[]; partial: boolean };

/** Sessions that match a query, best first, with the context of the best hit. */
export async function findSessions(
  recalling: SessionSearchOptions,
  query: string,
  own: readonly string[],
): Promise<string | OwnText> {
  const { sessions, roles, limit } = recalling;
  const filter = { excludedSources: HIDDEN_SOURCES, excludedSessions: own, roles };
  const { hits, complete } = await sessions.searchMessages({ text: query, limit: SEARCHED_HITS, ...filter });
  const found = await groupByLineage(recalling, hits);
  if (found.length === 0) {
    const todo = complete ? TRY_OTHERWISE : 'Not all sessions could be searched: make the query more specific.';
    return new OwnText(`No past session matches "${query}". ${todo}`);
  }
  const shown = await Promise.all(
    found.slice(0, limit).map(async (one) => ({ ...one, text: await describe(recalling, one, query) })),
  );
  const [best] = shown;
  const around = best && (await readAround({ ...recalling, window: 2 }, best.lineage, best.hits[0]?.id ?? 0));
  const left = found.slice(limit).filter(({ partial }) => !partial).length;
  const more = left > 0 ? [`${left} more sessions match.`] : [];
  return [
    withNearest(shown, ({ text }) => text, '\n\n'),
    `Messages around the first hit:\n${around ?? ''}`,
    ...more,
  ].join('\n\n');
}

/** Groups hits by lineage: those with all words first, and of these and the others, sessions of scheduled jobs last. */
async function groupByLineage({ sessions }: SessionSearchOptions, hits: readonly MessageHit[]): Promise<Found[]> {
  const byRoot = new Map<string, Found>();
  const lineages = new Map<string, string[]>();
  for (const hit of hits) {
    const lineage = lineages.get(hit.sessionId) ?? (await lineageOf(sessions, hit.sessionId));
    for (const id of lineage) lineages.set(id, lineage);
    const root = lineage[0] ?? hit.sessionId;
    const found = byRoot.get(root) ?? { lineage, hits: [], partial: hit.partial };
    if (found.hits.length < HITS_PER_SESSION) found.hits.push(hit);
    byRoot.set(root, found);
  }
  const isCron = ({ hits: [first] }: Found) => first?.source === 'cron';
  const rankOf = (one: Found) => (one.partial ? 2 : 0) + (isCron(one) ? 1 : 0);
  return [...byRoot.values()].sort((a, b) => rankOf(a) - rankOf(b));
}

async function describe(
  { sessions, summarise }: SessionSearchOptions,
  { hits, lineage }: Found,
  query: string,
): Promise<string> {
  const [first] = hits as [MessageHit, ...MessageHit[]];
  const title = (await sessions.getSession(first.sessionId))?.title;
  const name = title === undefined ? '' : ` "${title}"`;
  const lines = hits.map(({ id, role, snippet }) => `[${id}] ${role}: ${snippet}`);
  const heading = `${first.sessionId}${name} (${localTime(first.timestamp)}, ${first.source})`;
  if (summarise === undefined) return [heading, ...lines].join('\n');
  const all = await messagesSaid(sessions, lineage);
  const transcript = all.map((stored) => wholeMessage(stored, NEIGHBOUR_LENGTH)).join('\n');
  const summary = await summarise({ transcript, query });
  return [heading, ...lines, ...(summary === '' ? [] : [`Summary: ${summary}`])].join('\n');
}

const NEWEST_SHOWN = 10;
/** How many recent sessions are scanned to find those that are listed. */
const NEWEST_SCANNED = 60;

/** The most recent sessions, each with its first words. */
async function listNewest({ sessions }: SessionSearchOptions, own: readonly string[]): Promise<string | OwnText> {
  const newest = (await sessions.listSessions({ limit: NEWEST_SCANNED }))
    .filter(({ id, source, messageCount }) => !own.includes(id) && !HIDDEN_SOURCES.includes(source) && messageCount > 0)
    .slice(0, NEWEST_SHOWN);
  if (newest.length === 0) return new OwnText('There are no past sessions.');
  return newest
    .map(({ id, title, preview, lastActiveAt, source, messageCount }) => {
      const name = title === undefined ? '' : ` "${title}"`;
      return `${id}${name} (${localTime(lastActiveAt)}, ${source}, ${messageCount} message${messageCount === 1 ? '' : 's'}): ${preview}`;
    })
    .join('\n');
}

const FIRST_MESSAGES = 20;
const LAST_MESSAGES = 10;
const SHORT_LENGTH = 400;
const NEIGHBOUR_LENGTH = 1_500;
const ANCHOR_LENGTH = 8_000;
const SHOWN_HITS = 20;

/** The first and the last messages of a session. */
export async function readSession(
  { sessions, roles }: SessionSearchOptions,
  lineage: readonly string[],
): Promise<ToolAnswer> {
  const all = (await messagesSaid(sessions, lineage)).filter(({ message }) => roles.includes(message.role));
  const lines = all.map((stored) => messageLine(stored, SHORT_LENGTH));
  if (lines.length === 0) return new OwnText('The session has no messages.');
  if (lines.length <= FIRST_MESSAGES + LAST_MESSAGES) return lines.join('\n');
  const left = `… ${lines.length - FIRST_MESSAGES - LAST_MESSAGES} messages omitted; read them with around_message_id …`;
  return [...lines.slice(0, FIRST_MESSAGES), left, ...lines.slice(-LAST_MESSAGES)].join('\n');
}

/** A message, in full if it fits, and its neighbours of any role. */
async function readAround(
  { sessions, window }: SessionSearchOptions,
  lineage: readonly string[],
  messageId: number,
): Promise<string> {
  const all = await messagesSaid(sessions, lineage);
  const index = all.findIndex(({ id }) => id === messageId);
  if (index === -1) throw new ToolFailure(`Message not found in the session: ${messageId}.`);
  const first = Math.max(index - window, 0);
  return all
    .slice(first, index + window + 1)
    .map((stored) => wholeMessage(stored, stored.id === messageId ? ANCHOR_LENGTH : NEIGHBOUR_LENGTH))
    .join('\n');
}

/** Full-text search within one session. */
async function searchSession(
  recalling: SessionSearchOptions,
  lineage: readonly string[],
  query: string,
): Promise<ToolAnswer> {
  const { sessions, roles } = recalling;
  const { hits } = await sessions.searchMessages({ text: query, sessions: lineage, roles, limit: SHOWN_HITS });
  if (hits.length === 0) {
    const searched = `(roles: ${roles.join(', ')})`;
    return new OwnText(`No message in the session matches "${query}" ${searched}. ${TRY_OTHERWISE}`);
  }
  return withNearest(hits, ({ id, role, snippet }) => `[${id}] ${role}: ${snippet}`);
}

/** All messages of a lineage, without summaries that replaced some of them. */
async function messagesSaid(
  sessions: SessionSearchOptions['sessions'],
  lineage: readonly string[],
): Promise<StoredMessage[]> {
  return (await uniqueMessages(sessions, lineage)).filter(({ isReplacement }) => !isReplacement);
}
