import type { MessageHit } from '../../contracts/index.ts';
import { localTime } from '../../util/index.ts';
import { readAround } from './read-session.ts';
import { HIDDEN_SOURCES, lineageOf, type Recalling } from './recalling.ts';

/** So many hits are put together into sessions. */
const HITS = 100;
const HITS_PER_SESSION = 3;

type Found = { lineage: readonly string[]; hits: MessageHit[] };

/** The conversations in which a query is answered, best first; of the best one also what was said around it. */
export async function findSessions(recalling: Recalling, query: string, own: readonly string[]): Promise<string> {
  const { sessions, roles, limit } = recalling;
  const filter = { excludedSources: HIDDEN_SOURCES, excludedSessions: own, roles };
  const { hits, complete } = await sessions.searchMessages({ text: query, limit: HITS, ...filter });
  const found = await groupByLineage(recalling, hits);
  if (found.length === 0) {
    return `No earlier session has ${query}.${complete ? '' : ' Not all could be looked at: make it more precise.'}`;
  }
  const shown = found.slice(0, limit);
  const texts = await Promise.all(shown.map((one) => describe(recalling, one)));
  const [best] = shown;
  const around = best && (await readAround({ ...recalling, window: 2 }, best.lineage, best.hits[0]?.id ?? 0));
  const more = found.length > limit ? [`${found.length - limit} more sessions have it.`] : [];
  return [...texts, `Around the first:\n${around ?? ''}`, ...more].join('\n\n');
}

/** What a machine did by the clock comes behind what a person said. */
async function groupByLineage({ sessions }: Recalling, hits: readonly MessageHit[]): Promise<Found[]> {
  const byRoot = new Map<string, Found>();
  const lineages = new Map<string, string[]>();
  for (const hit of hits) {
    const lineage = lineages.get(hit.sessionId) ?? (await lineageOf(sessions, hit.sessionId));
    for (const id of lineage) lineages.set(id, lineage);
    const root = lineage[0] ?? hit.sessionId;
    const found = byRoot.get(root) ?? { lineage, hits: [] };
    if (found.hits.length < HITS_PER_SESSION) found.hits.push(hit);
    byRoot.set(root, found);
  }
  const isCron = ({ hits: [first] }: Found) => first?.source === 'cron';
  const all = [...byRoot.values()];
  return [...all.filter((one) => !isCron(one)), ...all.filter(isCron)];
}

async function describe({ sessions }: Recalling, { hits }: Found): Promise<string> {
  const [first] = hits as [MessageHit, ...MessageHit[]];
  const title = (await sessions.getSession(first.sessionId))?.title;
  const name = title === undefined ? '' : ` "${title}"`;
  const lines = hits.map(({ id, role, snippet }) => `[${id}] ${role}: ${snippet}`);
  return [`${first.sessionId}${name} (${localTime(first.timestamp)}, ${first.source})`, ...lines].join('\n');
}
