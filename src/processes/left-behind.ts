import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '../base/index.ts';
import { hasDied, markProcess, type ProcessMark, startTimeOf } from '../util/index.ts';
import type { ProcessFacts } from './process-entry.ts';

/** A process as it was written down, with the output that was saved. */
export type Left = { facts: ProcessFacts; printed: string };
/** A number alone may be given to another program; the time of its start goes with it. */
type Owner = ProcessMark & { startTime: string };
export type FileContent = { owner: Owner; processes: ProcessFacts[] };

export function outputFile(folder: string, id: string): string {
  return join(folder, `${id}.txt`);
}

/** The names of what programs wrote down, those that still run included. */
export function listTables(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

/** What a program that is gone had written down; undefined where it still runs. */
export async function readLeft(folder: string, name: string): Promise<{ owner: Owner; processes: Left[] } | undefined> {
  const content = readContent(await readText(join(folder, name)));
  if (content === undefined || !isGone(content.owner)) return undefined;
  const processes = await Promise.all(
    content.processes.map(async (facts) => ({ facts, printed: await readText(outputFile(folder, facts.id)) })),
  );
  return { owner: content.owner, processes };
}

function isGone({ pid, scope, startTime }: Owner): boolean {
  const { scope: ownScope } = markProcess();
  return hasDied({ pid, scope }, ownScope) || (scope === ownScope && startTimeOf(pid) !== startTime);
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

/** A file that is not in order is left alone: it may be that of a later version. */
function readContent(text: string): FileContent | undefined {
  const content = parseJson(text);
  if (!isJsonObject(content) || !isJsonObject(content['owner']) || !Array.isArray(content['processes'])) {
    return undefined;
  }
  const { pid, scope, startTime } = content['owner'];
  if (typeof pid !== 'number' || typeof scope !== 'string' || typeof startTime !== 'string') return undefined;
  return { owner: { pid, scope, startTime }, processes: content['processes'].flatMap(readFacts) };
}

function readFacts(value: unknown): ProcessFacts[] {
  if (!isJsonObject(value) || !isJsonObject(value['record'])) return [];
  const { id, sessionId, command, directory, place, pid, startedAt, record } = value;
  const texts = [id, sessionId, command, directory, place, record['startTime'], record['mark']];
  const numbers = [pid, startedAt, record['pid']];
  const isWhole =
    texts.every((text) => typeof text === 'string') && numbers.every((number) => typeof number === 'number');
  // The id becomes the name of a file.
  return isWhole && /^proc_[0-9a-f]{12}$/.test(id as string) ? [value as unknown as ProcessFacts] : [];
}
