import type { SessionSummary } from '../../../contracts/index.ts';
import { formatSessions, type ListOptions, toQuery } from '../../text/session-lines.ts';
import type { CliIo } from '../cli-io.ts';
import { withStore } from './with-store.ts';
import { writeJson } from './write-json.ts';

export async function listSessions(options: ListOptions & { json?: boolean }, io: CliIo): Promise<number> {
  const { json, ...what } = options;
  await withStore(io, async (store) => {
    if (json) writeJson(io.stdout, (await store.listSessions(toQuery(what))).map(withoutPrompt));
    else io.stdout.write(await formatSessions(store, what, io.stdout.columns));
  });
  return 0;
}

// The system prompt is long and nearly the same in every session; `show` prints it.
function withoutPrompt({ systemPrompt: _, ...summary }: SessionSummary) {
  return summary;
}
