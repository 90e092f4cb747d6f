import { existsSync, readFileSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/base/index.ts';
import { startPostgres } from '../test/support/postgres/index.ts';
import { type BenchModel, CALLS_PER_PROMPT, startBenchModel } from './batch/bench-model.ts';
import { type BenchHome, createBenchHome, runBench, startBench, writeBenchPrompts } from './batch/run-hermes.ts';

const WORKERS = [1, 4, 16, 64];
const PROCESSES = [1, 2, 4];
const LATENCIES = [0, 200];
const POLL_MS = 20;

type Row = {
  name: string;
  latencyMs: number;
  perSecond: number;
  ideal: number | undefined;
  cpuMs: number;
  peakMb: number;
};
type Load = { workers: number; latencyMs: number; prompts: number; tool?: 'todo' | 'terminal' };

/** Trajectories per second, memory per agent and CPU time per tool turn of `hermes batch`. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '16' }, local: { type: 'boolean' } } });
  const rounds = Number(values.rounds);
  const model = await startBenchModel();
  const home = createBenchHome(model.url);
  try {
    const rows: Row[] = [];
    for (const latencyMs of LATENCIES) {
      for (const workers of WORKERS) {
        const prompts = workers * (latencyMs === 0 ? Math.ceil(256 / workers) : rounds);
        rows.push(await measureLocal(model, home, { workers, latencyMs, prompts }));
      }
    }
    rows.push(await measureLocal(model, home, { workers: 64, latencyMs: 200, prompts: 64 * rounds, tool: 'terminal' }));
    if (!values.local) rows.push(...(await measureQueue(model, home, rounds)));
    console.log(formatRows(rows));
    console.log(formatMemory(await measureMemory(model, home)));
  } finally {
    model.close();
    home.remove();
  }
}

async function measureLocal(model: BenchModel, home: BenchHome, load: Load): Promise<Row> {
  const { workers, latencyMs, prompts, tool = 'todo' } = load;
  writeBenchPrompts(home, prompts);
  await model.control({ latencyMs, tool, hold: false });
  const { cpuMs, peakMb } = await runBench(
    ['run', '--input', 'prompts.jsonl', '--output', 'out', '--workers', String(workers)],
    home,
  );
  rmSync(`${home.folder}/out`, { recursive: true });
  const name = `${workers} in one process${tool === 'terminal' ? ', `terminal`' : ''}`;
  return { name, latencyMs, ...(await ratesOf(model, load)), cpuMs: cpuMs / (prompts * CALLS_PER_PROMPT), peakMb };
}

async function ratesOf(model: BenchModel, { workers, latencyMs, prompts }: Load) {
  const { requests, firstAt, lastAt } = await model.control();
  if (requests !== prompts * CALLS_PER_PROMPT) throw new Error(`${requests} requests for ${prompts} prompts`);
  const perSecond = prompts / ((lastAt - firstAt) / 1000);
  const ideal = latencyMs === 0 ? undefined : workers / ((CALLS_PER_PROMPT * latencyMs) / 1000);
  return { perSecond, ideal };
}

/** Throughput of several processes on one PostgreSQL server, each with 16 concurrent prompts. */
async function measureQueue(model: BenchModel, home: BenchHome, rounds: number): Promise<Row[]> {
  await using postgres = await startPostgres();
  const rows: Row[] = [];
  for (const latencyMs of LATENCIES) {
    for (const processes of PROCESSES) {
      const workers = processes * 16;
      const load = { workers, latencyMs, prompts: latencyMs === 0 ? 256 : workers * rounds };
      writeBenchPrompts(home, load.prompts);
      await model.control({ latencyMs, tool: 'todo', hold: false });
      const env = { HERMES_DATABASE_URL: await postgres.createDatabase() };
      await runBench(['submit', '--input', 'prompts.jsonl'], home, env);
      const crew = Array.from({ length: processes }, () =>
        runBench(['worker', '--until-done', '--workers', '16'], home, env),
      );
      const exits = await Promise.all(crew);
      const cpuMs = exits.reduce((sum, exit) => sum + exit.cpuMs, 0) / (load.prompts * CALLS_PER_PROMPT);
      const peakMb = Math.max(...exits.map((exit) => exit.peakMb));
      rows.push({
        name: `16 in each of ${processes} on PostgreSQL`,
        latencyMs,
        ...(await ratesOf(model, load)),
        cpuMs,
        peakMb,
      });
    }
  }
  return rows;
}

type Memory = { agents: number; heapMb: number; residentMb: number };

/** Memory in use after a garbage collection, while 1 or 64 agents wait for their last answer. */
async function measureMemory(model: BenchModel, home: BenchHome): Promise<Memory[]> {
  const figures: Memory[] = [];
  for (const agents of [1, 64]) {
    writeBenchPrompts(home, agents);
    await model.control({ latencyMs: 0, tool: 'todo', hold: true });
    const words = ['run', '--input', 'prompts.jsonl', '--output', 'out', '--workers', String(agents)];
    const { child, exited, memoryFile } = startBench(words, home);
    for (;;) {
      const { requests, open } = await model.control();
      if (requests === agents * CALLS_PER_PROMPT && open === agents) break;
      await systemClock.sleep(POLL_MS);
    }
    child.kill('SIGUSR2');
    while (!existsSync(memoryFile)) await systemClock.sleep(POLL_MS);
    figures.push({ agents, ...(JSON.parse(readFileSync(memoryFile, 'utf8')) as Omit<Memory, 'agents'>) });
    await model.control({ hold: false });
    await exited;
    rmSync(`${home.folder}/out`, { recursive: true });
  }
  return figures;
}

function formatRows(rows: readonly Row[]): string {
  const lines = rows.map(({ name, latencyMs, perSecond, ideal, cpuMs, peakMb }) => {
    const share = ideal === undefined ? '–' : (perSecond / ideal).toFixed(2);
    return `| ${name} | ${latencyMs} ms | ${perSecond.toFixed(1)} | ${share} | ${cpuMs.toFixed(2)} ms | ${peakMb.toFixed(0)} MB |`;
  });
  const head = [
    '| workers | latency | trajectories per second | of ideal | CPU per call | peak memory |',
    '|---|---:|---:|---:|---:|---:|',
  ];
  return [...head, ...lines].join('\n');
}

function formatMemory([one, many]: readonly Memory[]): string {
  if (one === undefined || many === undefined) return '';
  const each = (key: 'heapMb' | 'residentMb') => ((many[key] - one[key]) / (many.agents - one.agents)).toFixed(2);
  return `\nper concurrent agent: ${each('heapMb')} MB of heap, ${each('residentMb')} MB resident (heap: ${one.heapMb.toFixed(1)} MB with one, ${many.heapMb.toFixed(1)} MB with ${many.agents})`;
}

await main();
