import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { arch, cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { hermes } from './contenders.ts';
import { storeLongSession } from './long-session.ts';
import { type Contender, measureTask } from './measure.ts';
import { median } from './report.ts';
import { type Bench, measureRound, PROMPT, perStep, type Round } from './rounds.ts';
import { startScriptedServer } from './scripted-server.ts';

/** Starts and resumes are short and noisy, so each round has several of them. */
const STARTS_PER_ROUND = 5;

type Side = { contender: Contender; resume: Contender; starts: number[]; resumes: number[]; rounds: Round[] };

/** Runs the same task with two builds alternately, to measure the cost of a change under the same conditions. */
async function compare(sides: readonly Side[], repeats: number, bench: Bench): Promise<void> {
  for (let index = 0; index <= repeats; index++) {
    // The order is reversed each time, so that neither build always runs on the warmer machine.
    const order = index % 2 === 0 ? sides : sides.toReversed();
    const counts = index > 0;
    const rounds = await measureRound(
      order.map(({ contender }) => contender),
      bench,
    );
    if (counts) for (const [at, side] of order.entries()) side.rounds.push(rounds[at] as Round);
    for (let start = 0; start < STARTS_PER_ROUND; start++) {
      for (const side of start % 2 === 0 ? order : order.toReversed()) {
        const task = { steps: 0, prompt: PROMPT, folder: bench.folder, probe: false };
        const first = await measureTask(side.contender, bench.server, task);
        const resumed = await measureTask(side.resume, bench.server, task);
        if (!counts) continue;
        side.starts.push(first.firstRequestMs);
        side.resumes.push(resumed.firstRequestMs);
      }
    }
    process.stderr.write(counts ? `round ${index} of ${repeats} done\n` : 'warm-up done\n');
  }
}

function formatComparison(now: Side, before: Side): string {
  const row = (label: string, unit: string, digits: number, pick: (side: Side) => number[]) => {
    const [ours, theirs] = [pick(now), pick(before)];
    const show = (values: readonly number[]) =>
      `${median(values).toFixed(digits)} (${quartile(values, 0.25).toFixed(digits)}–${quartile(values, 0.75).toFixed(digits)}) ${unit}`;
    // Ratios of pairs that ran one after the other, because load on the machine affects both.
    const ratio = median(ours.map((value, index) => value / (theirs[index] as number)));
    return `| ${label} | ${show(theirs)} | ${show(ours)} | ${ratio.toFixed(2)}× |`;
  };
  const figures = ({ rounds }: Side, pick: (round: Round) => number) => rounds.map(pick);
  return [
    '| metric | before | now | ratio of pairs, median |',
    '|---|---:|---:|---:|',
    row('spawn to first request', 'ms', 1, ({ starts }) => starts),
    row('wall per tool turn, 20 to 100', 'ms', 2, ({ rounds }) => perStep(rounds, 'wallMs')),
    row('CPU per tool turn, commands included', 'ms', 2, ({ rounds }) => perStep(rounds, 'cpuMs')),
    row('100 tool turns, spawn to exit', 'ms', 0, (side) => figures(side, ({ hundred }) => hundred.wallMs)),
    row('CPU of 100 tool turns, spawn to exit', 'ms', 0, (side) => figures(side, ({ hundred }) => hundred.cpuMs)),
    row('peak memory, 100 tool turns', 'MB', 1, (side) => figures(side, ({ hundred }) => hundred.peakMb)),
    row('`--version`', 'ms', 1, (side) => figures(side, ({ versionMs }) => versionMs)),
    row('resume of 10,000 messages (11 MB), spawn to request', 'ms', 1, ({ resumes }) => resumes),
    row('first request', 'bytes', 0, (side) => figures(side, ({ one }) => one.firstRequestBytes)),
  ].join('\n');
}

function quartile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN;
}

async function main(): Promise<void> {
  const options = { repeats: { type: 'string', default: '15' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [other] = positionals;
  const repeats = Number(values.repeats);
  if (other === undefined || !existsSync(join(other, 'dist/cli.js')))
    throw new Error('Usage: node bench/compare.ts FOLDER [--repeats N]; FOLDER is a checkout with a build');
  if (!Number.isInteger(repeats) || repeats < 1) throw new Error('--repeats must be a positive integer');
  const folder = mkdtempSync(join(tmpdir(), 'hermes-bench-'));
  const server = await startScriptedServer();
  const side = async (name: string, root?: string): Promise<Side> => {
    const longHome = join(folder, `${name}-long`);
    const resume = ['--resume', await storeLongSession(longHome, root)];
    return {
      contender: { ...hermes(server.baseUrl, join(folder, name), [], root), name },
      resume: { ...hermes(server.baseUrl, longHome, resume, root), name: `${name}, resumed` },
      starts: [],
      resumes: [],
      rounds: [],
    };
  };
  try {
    const [now, before] = [await side('now'), await side('before', resolve(other))];
    await compare([now, before], repeats, { server, folder });
    const machine = `Node ${process.version}, ${process.platform} ${arch()}, ${cpus().length} cores`;
    const counts = `${repeats} interleaved rounds with ${STARTS_PER_ROUND} starts each`;
    console.log(`${machine}; ${counts}, medians, quartiles in brackets.\n\n${formatComparison(now, before)}`);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
