import { mkdtempSync, rmSync } from 'node:fs';
import { arch, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from './report.ts';
import { createCorpus } from './search/corpus.ts';
import { measureAppends } from './store/appends.ts';
import { measureOpening } from './store/large-file.ts';
import { measureLookups } from './store/many-sessions.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    gigabytes: { type: 'string', default: '5' },
    sessions: { type: 'string', default: '100000' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'hermes-store-bench-'));

try {
  console.log(
    `Node ${process.version}, SQLite ${process.versions.sqlite}, ${process.platform} ${arch()}, ${cpus().length} cores, ` +
      `load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  await reportAppends();
  console.log('| metric | median (range) | target |\n|---|---:|---|');
  await reportOpening();
  await reportLookups();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function reportAppends(): Promise<void> {
  const results = await measureAppends(folder, createCorpus(3), Number(values.rounds));
  const show = (rates: number[]) => median(rates).toFixed(0);
  const ratio = median(results.map(({ ours, bare }) => ours / bare)).toFixed(2);
  console.log('| appends per second | plain driver | ratio | target |\n|---:|---:|---:|---|');
  console.log(
    `| ${show(results.map((one) => one.ours))} | ${show(results.map((one) => one.bare))} | ${ratio} | ≥ 0.75 |\n`,
  );
}

async function reportOpening(): Promise<void> {
  const file = join(folder, 'large.db');
  const { bytes, firstMs, times } = await measureOpening(file, Number(values.gigabytes) * 1e9);
  const name = `opening a file of ${(bytes / 1e9).toFixed(1)} GB (first time ${firstMs.toFixed(1)} ms)`;
  printRow(name, times, 50);
  rmSync(file);
}

async function reportLookups(): Promise<void> {
  const sessions = Number(values.sessions);
  for (const { name, times, aimMs } of await measureLookups(join(folder, 'many.db'), createCorpus(5), sessions)) {
    printRow(`${name}, of ${sessions.toLocaleString('en')}`, times, aimMs);
  }
}

function printRow(name: string, times: readonly number[], aimMs: number): void {
  const range = `${Math.min(...times).toFixed(2)}–${Math.max(...times).toFixed(2)}`;
  console.log(`| ${name} | ${median(times).toFixed(2)} (${range}) ms | < ${aimMs} ms |`);
}
