import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReceivedRequest, Reply, TemporaryHome } from '../../src/testing/index.ts';
import { jsonLines } from './cli-fixture.ts';

/** One tool call, then an answer, both with reasoning and deterministic for a prompt. */
export function oneCallEach(request: ReceivedRequest): Reply {
  const number = /\d+/.exec(request.lastUserText)?.[0] ?? '0';
  if (request.toolResults.length > 0) return { reasoning: `It printed ${number}.`, text: `The answer is ${number}.` };
  const call = { id: `call_${number}`, name: 'terminal', arguments: { command: `echo ${number}` } };
  return { reasoning: `I have to print ${number}.`, toolCalls: [call] };
}

/** Writes a prompt file to the workspace of a home; `lines` are objects, or strings that are written unchanged. */
export async function writePrompts(home: TemporaryHome, lines: readonly (object | string)[]): Promise<string> {
  const file = join(home.workspace, 'prompts.jsonl');
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  await writeFile(file, `${texts.join('\n')}\n`);
  return file;
}

export function manyPrompts(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({ prompt: `print number ${index}`, id: index }));
}

/** A line without the fields that differ between runs. */
type Line = Record<string, unknown> & { metadata: Record<string, unknown> };

export function withoutTimestamps(text: string): Line[] {
  return (text.trim() === '' ? [] : (jsonLines(text) as Line[])).map((line) => ({
    ...line,
    metadata: { ...line.metadata, timestamp: undefined },
  }));
}

/** All results in the folder of a batch run. */
export async function readRun(folder: string) {
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  const parts = (await readdir(folder)).filter((name) => name.startsWith('batch_')).sort();
  return {
    trajectories: withoutTimestamps(await read('trajectories.jsonl')),
    parts: Object.fromEntries(
      await Promise.all(parts.map(async (name) => [name, withoutTimestamps(await read(name))] as const)),
    ),
    failed: (await read('failed.jsonl')).trim() === '' ? [] : jsonLines(await read('failed.jsonl')),
    statistics: JSON.parse(await read('statistics.json')) as Record<string, unknown>,
  };
}
