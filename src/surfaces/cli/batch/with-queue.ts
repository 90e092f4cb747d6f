import { ConfigurationError } from '../../../base/index.ts';
import { loadSettings, resolveHome } from '../../../config/index.ts';
import { type JobQueue, openQueue } from '../../batch/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeReport } from '../report-error.ts';

/** The queue that is named, open for as long as a command needs it. */
export async function withQueue<Value>(
  url: string | undefined,
  io: CliIo,
  use: (queue: JobQueue) => Promise<Value>,
): Promise<Value> {
  const queue = await openQueue(url ?? (await configuredUrl(io)), (message) => {
    writeReport(io, { message: `The database: ${message}` });
  });
  try {
    return await use(queue);
  } finally {
    await queue.close();
  }
}

async function configuredUrl(io: CliIo): Promise<string> {
  const { storage } = await loadSettings({ home: resolveHome(io.env), env: io.env });
  if (storage !== undefined) return storage.url;
  throw new ConfigurationError('No queue is named.', {
    hint: 'Name a PostgreSQL with --queue postgres://user:password@host/database, or set storage.url or HERMES_DATABASE_URL.',
  });
}
