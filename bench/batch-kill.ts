import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isJsonObject, systemClock } from '../src/base/index.ts';
import { startPostgres } from '../test/support/postgres/index.ts';
import { startBenchModel } from './batch/bench-model.ts';
import {
  type BenchHome,
  type BenchProcess,
  createBenchHome,
  runBench,
  startBench,
  writeBenchPrompts,
} from './batch/run-hermes.ts';

/** Compares a batch run that is killed at random moments, locally and on PostgreSQL, with an uninterrupted one. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { prompts: { type: 'string', default: '1000' }, kills: { type: 'string', default: '10' } },
  });
  const [prompts, kills] = [Number(values.prompts), Number(values.kills)];
  const model = await startBenchModel();
  const home = createBenchHome(model.url);
  try {
    writeBenchPrompts(home, prompts);
    await model.control({ latencyMs: 20, tool: 'todo', hold: false });
    const run = (output: string) => [
      'run',
      '--input',
      'prompts.jsonl',
      '--output',
      output,
      '--workers',
      '16',
      '--resume',
    ];
    const startedAt = performance.now();
    await runBench(run('whole'), home);
    const wholeMs = performance.now() - startedAt;
    for (let kill = 0; kill < kills; kill += 1)
      await killWithin((wholeMs / kills) * 1.5, startBench(run('killed'), home));
    await runBench(run('killed'), home);
    report('killed and resumed', home, 'killed', prompts, kills);
    await runOnQueue(home, { kills, wholeMs });
    report('four workers on PostgreSQL, random ones killed', home, 'collected', prompts, kills);
  } finally {
    model.close();
    home.remove();
  }
}

async function killWithin(mostMs: number, { child, exited }: BenchProcess): Promise<void> {
  await systemClock.sleep(300 + Math.random() * mostMs);
  child.kill('SIGKILL');
  await exited;
}

async function runOnQueue(home: BenchHome, { kills, wholeMs }: { kills: number; wholeMs: number }): Promise<void> {
  await using postgres = await startPostgres();
  const env = { HERMES_DATABASE_URL: await postgres.createDatabase() };
  const { stdout } = await runBench(['submit', '--input', 'prompts.jsonl'], home, env);
  const worker = () => startBench(['worker', '--until-done', '--workers', '4'], home, env);
  const crew = Array.from({ length: 4 }, worker);
  for (let kill = 0; kill < kills; kill += 1) {
    const victim = Math.floor(Math.random() * crew.length);
    await killWithin(wholeMs / kills, crew[victim] as BenchProcess);
    crew[victim] = worker();
  }
  const codes = (await Promise.all(crew.map(({ exited }) => exited))).map(({ code }) => code);
  if (codes.some((code) => code !== 0)) throw new Error(`workers exited with ${codes.join(', ')}`);
  await runBench(['collect', stdout.trim(), '--output', 'collected'], home, env);
}

/** Checks that both have the same set of lines, except for timestamps; otherwise stops the benchmark. */
function report(name: string, { folder }: BenchHome, output: string, prompts: number, kills: number): void {
  const [whole, other] = [digestsOf(join(folder, 'whole')), digestsOf(join(folder, output))];
  const missing = [...whole].filter((digest) => !other.has(digest)).length;
  const strange = [...other].filter((digest) => !whole.has(digest)).length;
  const lines = readFileSync(join(folder, output, 'trajectories.jsonl'), 'utf8')
    .trimEnd()
    .split('\n').length;
  if (missing + strange > 0 || lines !== prompts)
    throw new Error(`${name}: ${lines} lines, ${missing} missing, ${strange} unexpected`);
  console.log(`${name}: ${prompts} prompts, ${kills} kills, ${lines} lines, none missing, duplicate or different`);
}

function digestsOf(folder: string): Set<string> {
  const lines = readFileSync(join(folder, 'trajectories.jsonl'), 'utf8').trimEnd().split('\n');
  return new Set(
    lines.map((line) => {
      const value: unknown = JSON.parse(line);
      const { metadata, ...rest } = value as Record<string, unknown>;
      const lasting = isJsonObject(metadata) ? { ...metadata, timestamp: '' } : {};
      return createHash('sha256')
        .update(JSON.stringify([rest, lasting]))
        .digest('hex');
    }),
  );
}

await main();
