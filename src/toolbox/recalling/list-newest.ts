import { localTime } from '../../util/index.ts';
import { HIDDEN_SOURCES, type Recalling } from './recalling.ts';

const SHOWN = 10;
/** So many are looked through for those that are a person's. */
const LOOKED_AT = 60;

/** The newest conversations, each with how it began. */
export async function listNewest({ sessions }: Recalling, own: readonly string[]): Promise<string> {
  const newest = (await sessions.listSessions({ limit: LOOKED_AT }))
    .filter(({ id, source, messageCount }) => !own.includes(id) && !HIDDEN_SOURCES.includes(source) && messageCount > 0)
    .slice(0, SHOWN);
  if (newest.length === 0) return 'There are no earlier sessions.';
  return newest
    .map(({ id, title, preview, lastActiveAt, source, messageCount }) => {
      const name = title === undefined ? '' : ` "${title}"`;
      return `${id}${name} (${localTime(lastActiveAt)}, ${source}, ${messageCount} message${messageCount === 1 ? '' : 's'}): ${preview}`;
    })
    .join('\n');
}
