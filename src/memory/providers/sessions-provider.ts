import {
  type MemoryProvider,
  type MessageHit,
  relatedSessions,
  type SessionReader,
  SUBAGENT_SOURCE,
} from '../../contracts/index.ts';
import { localDay, shorten } from '../../util/index.ts';

const MAX_ITEMS = 3;
/** Maximum search hits. Hits of the current conversation are dropped, so the maximum must leave room for others. */
const HITS = 60;
const SIDE_CHARACTERS = 400;
/** Maximum number of sessions whose recalled messages are remembered. */
const MAX_SESSIONS = 200;
/** Stop words. */
const STOP_WORDS = new Set(
  [
    'about after again also another because been before being both could does doing done down each even from have having',
    'here into just like made make many more most much must need only other over please same should some such tell than',
    'that their them then there these they thing things this those through under until very want well were what when where',
    'which while will with would your yours show give know look find help thanks okay hello',
    'aber alle auch dass dein deine dich diese dieser doch eine einen einer eines habe haben hast hier ihre immer kann kannst',
    'mein meine mich muss nach nicht noch oder sein sich sind soll über und unter viel warum wenn werden wird wurde bitte',
  ].flatMap((line) => line.split(' ')),
);
const MAX_WORDS = 10;
const MIN_WORD_LENGTH = 4;
const MAX_QUERY_LENGTH = 2_000;
/** Words in these scripts are short, so their minimum length is lower. */
const UNSPACED_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** Recalls earlier exchanges from the stored sessions, without a model or the network. It has nothing to learn. */
export function createSessionsProvider({ sessions }: { sessions: SessionReader }): MemoryProvider {
  const recalled = new Map<string, Set<number>>();
  return {
    name: 'sessions',
    isAvailable: async () => true,
    async recall(query) {
      const words = queryWords(query.text);
      if (words.length === 0) return [];
      const [own, { hits }] = await Promise.all([
        // Messages of this conversation are already in its context or were removed on purpose.
        relatedSessions(sessions, query.sessionId),
        sessions.searchMessages({
          text: words.map((word) => `"${word}"`).join(' OR '),
          allWords: true,
          limit: HITS,
          roles: ['user', 'assistant'],
          // Messages between agents are excluded, because the user never saw them.
          excludedSources: [SUBAGENT_SOURCE],
        }),
      ]);
      const known = recalledIn(recalled, query.sessionId);
      const fresh = hits.filter((hit) => !own.includes(hit.sessionId) && !known.has(hit.id) && isAbout(hit, words));
      const chosen = oncePerSession(fresh).slice(0, MAX_ITEMS);
      for (const { id } of chosen) known.add(id);
      return chosen.map(describeHit);
    },
  };
}

/** The messages already recalled in a session; they are in its history and need not be sent again. */
function recalledIn(recalled: Map<string, Set<number>>, sessionId: string): Set<number> {
  const known = recalled.get(sessionId) ?? new Set<number>();
  recalled.set(sessionId, known);
  const [oldest] = recalled.keys();
  if (recalled.size > MAX_SESSIONS && oldest !== undefined) recalled.delete(oldest);
  return known;
}

/**
 * Whether a hit is relevant. One common word may be a coincidence, so at least two words must match, or the only word
 * of the query.
 */
function isAbout({ snippet }: MessageHit, words: readonly string[]): boolean {
  const met = new Set([...snippet.matchAll(/>>>(.*?)<<</gs)].map(([, match = '']) => match.toLowerCase()));
  return met.size >= Math.min(2, words.length);
}

function oncePerSession(hits: readonly MessageHit[]): MessageHit[] {
  const seen = new Set<string>();
  return hits.filter(({ sessionId }) => !seen.has(sessionId) && seen.add(sessionId));
}

function describeHit({ role, snippet, context, timestamp, sessionId }: MessageHit): string {
  const text = shorten(snippet.replace(/>>>|<<</g, ''), SIDE_CHARACTERS);
  const { before, after } = context;
  const question = role === 'user' ? text : before?.role === 'user' ? shorten(before.content, SIDE_CHARACTERS) : '';
  const answer =
    role === 'assistant' ? text : after?.role === 'assistant' ? shorten(after.content, SIDE_CHARACTERS) : '';
  const lines = [question && `the user: ${question}`, answer && `you: ${answer}`].filter((line) => line !== '');
  return `On ${localDay(timestamp)}, in session ${sessionId}:\n${lines.join('\n')}`;
}

/** The search terms of a message: its longest distinct words. */
export function queryWords(text: string): string[] {
  const words = new Set<string>();
  for (const { segment, isWordLike } of new Intl.Segmenter(undefined, { granularity: 'word' }).segment(
    text.slice(0, MAX_QUERY_LENGTH),
  )) {
    const word = segment.toLowerCase();
    if (isWordLike !== true || STOP_WORDS.has(word)) continue;
    if (word.length >= (UNSPACED_SCRIPT.test(word) ? 2 : MIN_WORD_LENGTH)) words.add(word);
  }
  return [...words].toSorted((one, other) => other.length - one.length).slice(0, MAX_WORDS);
}
