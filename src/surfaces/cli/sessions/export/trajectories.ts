import { resolve } from 'node:path';
import { ConfigurationError } from '../../../../base/index.ts';
import { loadSettings, resolveHome } from '../../../../config/index.ts';
import type { SessionRecord, SessionStore } from '../../../../contracts/index.ts';
import { createTrajectoryReader } from '../../../../runtime/trajectories/index.ts';
import { toJsonLine } from '../../../../trajectories/index.ts';
import { counted } from '../../../text/counted.ts';
import type { CliIo } from '../../cli-io.ts';
import { writeReport } from '../../report-error.ts';
import { printable } from '../../style.ts';
import { requireSession, withStore } from '../with-store.ts';
import { writeJson } from '../write-json.ts';
import type { ExportOptions } from './export.ts';
import { writeNewFile, writeStream } from './write-target.ts';

const LIST_STEP = 500;

/** Exports stored sessions as trajectories, one per line. A compressed session is one line with its whole lineage. */
export async function exportTrajectories(target: string, options: ExportOptions, io: CliIo): Promise<number> {
  if (options.lineage) {
    throw new ConfigurationError('--lineage cannot be used with trajectories.', {
      hint: 'A trajectory always contains the whole lineage of its session.',
    });
  }
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  return withStore(io, async (store) => {
    const { workingDirectory } = io;
    const read = await createTrajectoryReader(settings, store, { workingDirectory, redact: options.redact });
    const totals = { lines: 0, unanswered: 0, warnings: 0 };
    async function* lines() {
      for await (const session of chooseSessions(store, options)) {
        const found = await read(session);
        if (found === undefined) totals.unanswered += 1;
        else yield `${toJsonLine(found.line)}\n`;
        for (const warning of found?.warnings ?? []) {
          totals.warnings += 1;
          writeReport(io, { message: `Session ${session.id}: ${warning}` });
        }
        totals.lines += found === undefined ? 0 : 1;
      }
    }
    if (target === '-') {
      await writeStream(io.stdout, lines());
      return 0;
    }
    const file = resolve(workingDirectory, target);
    await writeNewFile(file, lines());
    if (options.json) writeJson(io.stdout, { file, ...totals });
    else io.stdout.write(describe(file, totals));
    return 0;
  });
}

function describe(file: string, { lines, unanswered }: { lines: number; unanswered: number }): string {
  const without = unanswered === 0 ? '' : ` Skipped ${counted(unanswered, 'session')} without an answer.`;
  return `Wrote ${counted(lines, 'trajectory', 'trajectories')} to ${printable(file)}.${without}\n`;
}

/** Oldest first, each lineage once. */
async function* chooseSessions(store: SessionStore, { session, source }: ExportOptions): AsyncGenerator<SessionRecord> {
  if (session !== undefined) {
    yield await requireSession(store, session);
    return;
  }
  const ids: string[] = [];
  for (;;) {
    const page = await store.listSessions({ source, newestOnly: true, limit: LIST_STEP, offset: ids.length });
    ids.push(...page.map(({ id }) => id));
    if (page.length < LIST_STEP) break;
  }
  for (const id of ids.toReversed()) {
    const found = await store.getSession(id);
    if (found !== undefined) yield found;
  }
}
