import { mkdtempSync, rmSync } from 'node:fs';
import { arch, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bareAgent, hermes } from './contenders.ts';
import { storeLongSession } from './long-session.ts';
import { type Contender, measureTask } from './measure.ts';
import { formatTable, type Row } from './report.ts';
import { type Bench, measureRound, PROMPT, perStep, type Round } from './rounds.ts';
import { startScriptedServer } from './scripted-server.ts';

/** Spawn to first request, in milliseconds. */
type FirstStart = { ours: number; bare: number };
type Rounds = { ours: Round; bare: Round; firstStart: FirstStart; resumeMs: number }[];

function tableRows(rounds: Rounds): Row[] {
  const [ours, bare] = [rounds.map((round) => round.ours), rounds.map((round) => round.bare)];
  const firstStarts = rounds.map(({ firstStart }) => firstStart);
  const row = (
    label: string,
    unit: string,
    digits: number,
    pick: (rounds: readonly Round[]) => number[],
    aim?: string,
  ) => {
    return { label, unit, digits, hermes: pick(ours), bare: pick(bare), aim };
  };
  const resumed = 'resume of 10,000 messages (11 MB), spawn to request';
  return [
    row('spawn to first request', 'ms', 0, (all) => all.map(({ one }) => one.firstRequestMs), '≤ 1.25×'),
    {
      label: 'first start with a new home, spawn to first request',
      unit: 'ms',
      digits: 0,
      hermes: firstStarts.map((each) => each.ours),
      bare: firstStarts.map((each) => each.bare),
      aim: '≤ 1.4×',
    },
    row('wall per tool turn, 20 to 100', 'ms', 2, (all) => perStep(all, 'wallMs'), '≤ 1.3×'),
    row('CPU per tool turn, commands included', 'ms', 2, (all) => perStep(all, 'cpuMs'), '≤ 1.3×'),
    row('peak memory, 100 tool turns', 'MB', 1, (all) => all.map(({ hundred }) => hundred.peakMb), '≤ 1.0×'),
    row('`--version`', 'ms', 0, (all) => all.map(({ versionMs }) => versionMs)),
    row('first request', 'bytes', 0, (all) => all.map(({ one }) => one.firstRequestBytes)),
    { label: resumed, unit: 'ms', digits: 0, hermes: rounds.map(({ resumeMs }) => resumeMs), aim: '< 300 ms' },
  ];
}

async function measureAll(repeats: number, bench: Bench): Promise<Row[]> {
  const { server, folder } = bench;
  const bare = bareAgent(server.baseUrl);
  const ours = hermes(server.baseUrl, join(folder, 'home'));
  const longHome = join(folder, 'long-home');
  const resume = hermes(server.baseUrl, longHome, ['--resume', await storeLongSession(longHome)]);
  const rounds: Rounds = [];
  for (let index = 0; index <= repeats; index++) {
    // The order is reversed each time, so that neither program always runs on the warmer machine.
    const order = index % 2 === 0 ? [ours, bare] : [bare, ours];
    const figures = await measureRound(order, bench);
    const firstStart = await measureFirstStart(bare, bench, index % 2 === 0);
    const task = { steps: 0, prompt: PROMPT, folder, probe: false };
    const { firstRequestMs } = await measureTask(resume, server, task);
    const pick = (contender: Contender) => figures[order.indexOf(contender)] as Round;
    process.stderr.write(index === 0 ? 'warm-up done\n' : `round ${index} of ${repeats} done\n`);
    // The first round warms up caches and is not counted.
    if (index > 0) rounds.push({ ours: pick(ours), bare: pick(bare), firstStart, resumeMs: firstRequestMs });
  }
  return tableRows(rounds);
}

/** The state of a new user: the home directory contains only a config file. */
async function measureFirstStart(bare: Contender, bench: Bench, isOursFirst: boolean): Promise<FirstStart> {
  const { server, folder } = bench;
  const home = mkdtempSync(join(folder, 'fresh-'));
  const measure = async (contender: Contender) => {
    const task = { steps: 0, prompt: PROMPT, folder, probe: false };
    return (await measureTask(contender, server, task)).firstRequestMs;
  };
  const first = isOursFirst ? await measure(hermes(server.baseUrl, home)) : undefined;
  const theirs = await measure(bare);
  return { ours: first ?? (await measure(hermes(server.baseUrl, home))), bare: theirs };
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { repeats: { type: 'string', default: '15' } } });
  const repeats = Number(values.repeats);
  if (!Number.isInteger(repeats) || repeats < 1) throw new Error('--repeats must be a positive integer');
  const folder = mkdtempSync(join(tmpdir(), 'hermes-bench-'));
  const server = await startScriptedServer();
  try {
    const table = formatTable(await measureAll(repeats, { server, folder }));
    const machine = `Node ${process.version}, ${process.platform} ${arch()}, ${cpus().length} cores`;
    console.log(`${machine}; medians of ${repeats} interleaved rounds, range in brackets.\n\n${table}`);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
