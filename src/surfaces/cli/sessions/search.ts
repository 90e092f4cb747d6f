import type { MessageHit, MessageQuery } from '../../../contracts/index.ts';
import { shorten } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeReport } from '../report-error.ts';
import { createStyle, type Style, showable } from '../style.ts';
import { localTime } from './local-time.ts';
import { withStore } from './with-store.ts';
import { writeJson } from './write-json.ts';

export type SearchOptions = {
  source?: string[];
  role?: NonNullable<MessageQuery['roles']>[number][];
  limit: number;
  json?: boolean;
};

const LONGEST_SNIPPET = 400;

const NOT_ALL_SEARCHED = {
  message: 'Not all messages were searched: the time for it was up, so hits in older sessions may be missing.',
  hint: 'Search for something rarer, or bring the search up to date first with: hermes sessions optimize',
};

/** Messages that answer a query, best first. To have found nothing is no failure. */
export async function searchSessions(text: string, options: SearchOptions, io: CliIo): Promise<number> {
  const { source: sources, role: roles, limit, json } = options;
  const { hits, complete } = await withStore(io, (store) => store.searchMessages({ text, sources, roles, limit }));
  if (json) writeJson(io.stdout, hits);
  else io.stdout.write(formatHits(hits, createStyle(io.stdout, io.env)));
  if (!complete) writeReport(io, NOT_ALL_SEARCHED);
  return 0;
}

function formatHits(hits: readonly MessageHit[], style: Style): string {
  if (hits.length === 0) return 'Nothing was found.\n';
  return hits
    .map((hit) => {
      const head = style.dim(`${hit.sessionId}  ${localTime(hit.timestamp)}  ${hit.role}, ${showable(hit.source)}`);
      const snippet = shorten(showable(hit.snippet), LONGEST_SNIPPET);
      return `${head}\n  ${snippet.replace(/>>>(.*?)<<</g, (_, match: string) => style.bold(`>>>${match}<<<`))}\n`;
    })
    .join('');
}
