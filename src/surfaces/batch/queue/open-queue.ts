import { ConfigurationError, errorMessage } from '../../../base/index.ts';
import type { JobQueue } from './job-queue.ts';
import { createTables } from './queue-tables.ts';

/** The queue in a database. The address may hold a password, so no message ever has it. */
export async function openQueue(url: string, onError: (message: string) => void = () => undefined): Promise<JobQueue> {
  // Loaded here, because only batches on many machines need them.
  const { describePlace, parseDatabaseUrl } = await import('../../../store/postgres/index.ts');
  const place = describePlace(parseDatabaseUrl(url));
  const { connectQueue } = await import('./queue-protocol.ts');
  let queue: JobQueue;
  try {
    queue = await connectQueue(url.trim(), (error) => onError(withoutAddress(errorMessage(error), url)));
  } catch (thrown) {
    throw new ConfigurationError(
      `The queue in the ${place} cannot be used: ${withoutAddress(errorMessage(thrown), url)}`,
      {
        hint: 'Check that PostgreSQL runs there, and the user and password of the address.',
      },
    );
  }
  try {
    await createTables(queue);
    return queue;
  } catch (thrown) {
    await queue.close();
    throw new ConfigurationError(
      `No tables could be made in the ${place}: ${withoutAddress(errorMessage(thrown), url)}`,
      {
        hint: 'The user needs the right to make a schema in this database.',
      },
    );
  }
}

function withoutAddress(message: string, url: string): string {
  // Not by `URL`, which cannot read an address of several hosts.
  const [, username = '', password = ''] = /^\w+:\/\/([^:@/]*):([^@/]*)@/.exec(url.trim()) ?? [];
  const secrets = [url, decodeURIComponent(password), password].filter((secret) => secret !== '');
  return secrets.reduce((text, secret) => text.replaceAll(secret, '***'), message).replaceAll(`${username}:***@`, '');
}
