import { ConfigurationError, errorMessage } from '../../../base/index.ts';
import type { JobQueue } from './job-queue.ts';
import { createTables } from './queue-tables.ts';

/** The queue in a database. The address may hold a password, so no message ever has it. */
export async function openQueue(url: string, onError: (message: string) => void = () => undefined): Promise<JobQueue> {
  const place = describeAddress(url);
  // Loaded here, because only batches on many machines need it.
  const { connectQueue } = await import('./queue-protocol.ts');
  let queue: JobQueue;
  try {
    queue = await connectQueue(url, (error) => onError(withoutAddress(errorMessage(error), url)));
  } catch (thrown) {
    throw new ConfigurationError(`The queue at ${place} cannot be used: ${withoutAddress(errorMessage(thrown), url)}`, {
      hint: 'Check that PostgreSQL runs there, and the user and password of the address.',
    });
  }
  try {
    await createTables(queue);
    return queue;
  } catch (thrown) {
    await queue.close();
    throw new ConfigurationError(`No tables could be made at ${place}: ${withoutAddress(errorMessage(thrown), url)}`, {
      hint: 'The user needs the right to make a schema in this database.',
    });
  }
}

/** `host:port/database`. */
export function describeAddress(url: string): string {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new ConfigurationError('The address of the queue is not one of PostgreSQL.', {
      hint: 'It looks like postgres://user:password@host:5432/database.',
    });
  }
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

function withoutAddress(message: string, url: string): string {
  const { password, username } = new URL(url);
  const secrets = [url, decodeURIComponent(password), password].filter((secret) => secret !== '');
  return secrets.reduce((text, secret) => text.replaceAll(secret, '***'), message).replaceAll(`${username}:***@`, '');
}
