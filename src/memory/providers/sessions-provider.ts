import {
  type MemoryProvider,
  type MessageHit,
  relatedSessions,
  type SessionReader,
  SUBAGENT_SOURCE,
} from '../../contracts/index.ts';
import { localDay, shorten } from '../../util/index.ts';

const MAX_ITEMS = 3;
/** A long conversation about the same thing takes the first places, and is not looked for. */
const HITS = 60;
const SIDE_CHARACTERS = 400;
/** Sessions that are remembered as having been told something; enough for any program that runs for long. */
const MAX_SESSIONS = 200;
/** Stop words. */
const COMMON = new Set(
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
const LOOKED_AT = 2_000;
/** Scripts without spaces have short words. */
const NO_ALPHABET = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** Recalls earlier exchanges from the stored sessions. It asks no model and no network, and has nothing to learn. */
export function createSessionsProvider({ sessions }: { sessions: SessionReader }): MemoryProvider {
  const told = new Map<string, Set<number>>();
  return {
    name: 'sessions',
    isAvailable: async () => true,
    async recall(query) {
      const words = queryWords(query.text);
      if (words.length === 0) return [];
      const [own, { hits }] = await Promise.all([
        // What belongs to this conversation is in its context, or was left out of it on purpose.
        relatedSessions(sessions, query.sessionId),
        sessions.searchMessages({
          text: words.map((word) => `"${word}"`).join(' OR '),
          limit: HITS,
          roles: ['user', 'assistant'],
          // What agents told each other nobody said to the person.
          excludedSources: [SUBAGENT_SOURCE],
        }),
      ]);
      const known = toldIn(told, query.sessionId);
      const fresh = hits.filter((hit) => !own.includes(hit.sessionId) && !known.has(hit.id) && isAbout(hit, words));
      const chosen = oncePerSession(fresh).slice(0, MAX_ITEMS);
      for (const { id } of chosen) known.add(id);
      return chosen.map(describeHit);
    },
  };
}

/** What a session was told once is in its history, and need not be paid for again. */
function toldIn(told: Map<string, Set<number>>, sessionId: string): Set<number> {
  const known = told.get(sessionId) ?? new Set<number>();
  told.set(sessionId, known);
  const [oldest] = told.keys();
  if (told.size > MAX_SESSIONS && oldest !== undefined) told.delete(oldest);
  return known;
}

/** One word in common is chance; a message of one or two words has to be met whole. */
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
    text.slice(0, LOOKED_AT),
  )) {
    const word = segment.toLowerCase();
    if (isWordLike !== true || COMMON.has(word)) continue;
    if (word.length >= (NO_ALPHABET.test(word) ? 2 : MIN_WORD_LENGTH)) words.add(word);
  }
  return [...words].toSorted((one, other) => other.length - one.length).slice(0, MAX_WORDS);
}
