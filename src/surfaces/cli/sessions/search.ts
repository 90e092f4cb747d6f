import type { MessageHit, MessageQuery, SessionStore } from '../../../contracts/index.ts';
import { isSearchable } from '../../../store/index.ts';
import { localTime, shorten } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeReport } from '../report-error.ts';
import { createStyle, type Style, printable } from '../style.ts';
import { fitWidth, wrapText } from '../../../util/text-width.ts';
import { withStore } from './with-store.ts';
import { writeJson } from './write-json.ts';

export type SearchOptions = {
  source?: string[];
  role?: NonNullable<MessageQuery['roles']>[number][];
  limit: number;
  json?: boolean;
};

const MAX_SNIPPET_LENGTH = 400;
/** Without a terminal, lines are not wrapped. */
const UNLIMITED = 10_000;

type TitledHit = MessageHit & { title: string | undefined };

const NOT_ALL_SEARCHED = {
  message:
    'Not all messages were searched, because the search timed out or its index is not up to date; hits may be missing.',
  hint: 'Use a more specific query, or update the search index first with: hermes sessions optimize',
};

const NEAREST = 'No message has all words; nearest hits:';
const SOME_WORDS = 'Messages with only some of the words:';

const NOT_SEARCHABLE = 'No matches: a search word must contain letters or digits. AND, OR and NOT are operators.\n';

/** Prints matching messages, best first. The exit code is 0 even without a match. */
export async function searchSessions(text: string, options: SearchOptions, io: CliIo): Promise<number> {
  const { source: sources, role: roles, limit, json } = options;
  await withStore(io, async (store) => {
    const { hits, complete } = await store.searchMessages({ text, sources, roles, limit });
    if (json) writeJson(io.stdout, hits);
    else {
      const titled = await withTitles(store, hits);
      const shown = formatHits(titled, createStyle(io.stdout, io.env), io.stdout.columns ?? UNLIMITED);
      io.stdout.write(isSearchable(text) ? shown : NOT_SEARCHABLE);
    }
    if (!complete) writeReport(io, NOT_ALL_SEARCHED);
  });
  return 0;
}

async function withTitles(store: SessionStore, hits: readonly MessageHit[]): Promise<TitledHit[]> {
  const titles = new Map<string, string | undefined>();
  for (const { sessionId } of hits) {
    if (!titles.has(sessionId)) titles.set(sessionId, (await store.getSession(sessionId))?.title);
  }
  return hits.map((hit) => ({ ...hit, title: titles.get(hit.sessionId) }));
}

function formatHits(hits: readonly TitledHit[], style: Style, columns: number): string {
  if (hits.length === 0) return 'No matches.\n';
  const [whole, partial] = [hits.filter((hit) => !hit.partial), hits.filter((hit) => hit.partial)];
  const heading = whole.length === 0 ? NEAREST : SOME_WORDS;
  const shown = (some: readonly TitledHit[]) => formatList(some, style, columns);
  return partial.length === 0 ? shown(whole) : `${shown(whole)}${style.dim(heading)}\n${shown(partial)}`;
}

function formatList(hits: readonly TitledHit[], style: Style, columns: number): string {
  return hits
    .map(({ sessionId, timestamp, role, source, title, snippet }) => {
      const name = title === undefined ? '' : `  ${printable(title)}`;
      const head = printable(`${sessionId}  ${localTime(timestamp)}  ${role}, ${source}`);
      const about = fitWidth(name, Math.max(0, columns - head.length - 2));
      const lines = wrapText(shorten(printable(snippet), MAX_SNIPPET_LENGTH), columns - 2).join('\n  ');
      const marked = lines.replace(/>>>([^]*?)<<</g, (_, match: string) => style.bold(`>>>${match}<<<`));
      return `${style.dim(head)}${about === '' ? '' : `  ${about}`}\n  ${marked}\n`;
    })
    .join('');
}
