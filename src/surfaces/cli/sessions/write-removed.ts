import type { RemovedSessions } from '../../../contracts/index.ts';
import type { CliIo } from '../cli-io.ts';
import { counted } from '../../text/counted.ts';
import { writeJson } from './write-json.ts';

export function writeRemoved(removed: RemovedSessions, json: boolean | undefined, io: CliIo): void {
  if (json) return writeJson(io.stdout, removed);
  const { sessionIds, messages } = removed;
  const sentence = `Deleted ${counted(sessionIds.length, 'session')} with ${counted(messages, 'message')}.`;
  io.stdout.write(sessionIds.length === 0 ? 'There was nothing to delete.\n' : `${sentence}\n`);
}
