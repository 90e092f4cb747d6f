import { HermesError } from '../../../base/index.ts';
import { findStorage, type StorageSettings } from '../../../config/index.ts';
import { checkIntegrity, chooseDatabaseFile } from '../../../store/sqlite/index.ts';
import type { CliIo } from '../cli-io.ts';
import { describeError } from '../report-error.ts';
import type { Finding } from './finding.ts';

const check = 'database';
const REPAIR = 'Run: hermes sessions repair';
const SLOW_MS = 100;

export async function checkDatabase(
  { home, env }: { home: string; env: CliIo['env'] },
  signal: AbortSignal,
): Promise<Finding[]> {
  try {
    const storage = await findStorage({ home, env });
    if (storage !== undefined) return await checkServer(storage);
    const { file, state, problems } = await checkIntegrity(await chooseDatabaseFile(home), { signal });
    const [first] = problems;
    const found = first === undefined ? '' : ` (${first})`;
    switch (state) {
      case 'missing':
        return [{ check, status: 'ok', message: `There is no session database ${file} yet.` }];
      case 'sound':
        return [{ check, status: 'ok', message: `The session database ${file} is sound.` }];
      case 'search':
        return [
          {
            ...{ check, status: 'wrong', message: `The search index of ${file} is damaged${found}.`, hint: REPAIR },
            fix: { action: 'rebuild-search-index', path: file },
          },
        ];
      case 'damaged':
        return [{ check, status: 'wrong', message: `The session database ${file} is damaged${found}.`, hint: REPAIR }];
    }
  } catch (thrown) {
    if (signal.aborted || !(thrown instanceof HermesError)) throw thrown;
    return [{ check, status: 'wrong', ...describeError(thrown) }];
  }
}

/** What a chat would find: the server, its version, the tables, and how long an answer takes. */
async function checkServer(storage: StorageSettings): Promise<Finding[]> {
  const { inspectDatabase } = await import('../../../store/postgres/index.ts');
  const { place, server, sessions, milliseconds } = await inspectDatabase(storage);
  const message = `Sessions are in the ${place} (server ${server}): ${sessions} of them, an answer takes ${milliseconds} ms.`;
  if (milliseconds <= SLOW_MS) return [{ check, status: 'ok', message }];
  return [
    {
      check,
      status: 'warning',
      message,
      hint: 'Each step of a turn waits for several answers: a server nearby is faster.',
    },
  ];
}
