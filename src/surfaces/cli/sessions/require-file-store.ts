import { ConfigurationError } from '../../../base/index.ts';
import { findStore } from '../../../runtime/index.ts';
import type { CliIo } from '../cli-io.ts';
import { placeOf } from './with-store.ts';

const INSTEAD = {
  repair: 'Ask whoever runs the server; it has checks and backups of its own.',
  optimize: 'There is nothing to do: the server looks after space and indexes by itself (autovacuum).',
};

/** For what can only be done to a file. */
export async function requireFileStore(io: CliIo, command: keyof typeof INSTEAD): Promise<string> {
  const place = await findStore(await placeOf(io));
  if ('file' in place) return place.file;
  const message = `Sessions are in the ${place.database}; \`hermes sessions ${command}\` is about a file.`;
  throw new ConfigurationError(message, { hint: INSTEAD[command] });
}
