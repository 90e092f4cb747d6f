import { mkdtempSync, rmSync } from 'node:fs';
import { arch, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openSqliteStore } from '../src/store/sqlite/index.ts';
import { type Built, buildDatabase } from './search/build.ts';
import { createCorpus } from './search/corpus.ts';
import { makeNearestQueries, makeQueries, type Timing, timeQueries } from './search/queries.ts';

const { values } = parseArgs({
  options: { messages: { type: 'string', default: '1000000' } },
});
const folder = mkdtempSync(join(tmpdir(), 'hermes-search-'));

try {
  const messages = Number(values.messages);
  console.log(
    `Node ${process.version}, SQLite ${process.versions.sqlite}, ${process.platform} ${arch()}, ${cpus().length} cores, ` +
      `load ${loadavg()[0]?.toFixed(1)}; ${messages.toLocaleString('en')} messages\n`,
  );
  for (const chinese of [0, 0.2]) await reportSearch(messages, chinese);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function reportSearch(messages: number, chinese: number): Promise<void> {
  const file = join(folder, `mixed-${chinese * 100}.db`);
  const corpus = createCorpus();
  const built = await buildDatabase(file, corpus, { messages, chinese });
  const started = performance.now();
  const store = await openSqliteStore({ file });
  const openMs = performance.now() - started;
  const timings: Timing[] = [];
  for (const kind of makeQueries(corpus, chinese > 0)) timings.push(await timeQueries(store, kind));
  const nearest: Timing[] = [];
  for (const kind of makeNearestQueries(corpus)) nearest.push(await timeQueries(store, kind));
  await store.close();
  console.log(chinese === 0 ? '### English\n' : `### With ${chinese * 100} % Chinese\n`);
  printFile(built, openMs);
  printTimings(timings, 'query', { median: '15', p95: '60' });
  printTimings(nearest, 'nearest hits', { median: '60', p95: '250' });
  rmSync(file);
}

function printFile({ textBytes, fileBytes, buildSeconds, catchUpSeconds }: Built, openMs: number): void {
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
  const ratio = (fileBytes / textBytes).toFixed(2);
  console.log(
    `${megabytes(textBytes)} of text, file ${megabytes(fileBytes)}: ${ratio}× (target < 2.4×). Opened in ${openMs.toFixed(1)} ms ` +
      `(target < 50 ms). Written in ${buildSeconds.toFixed(0)} s, our index caught up in ${catchUpSeconds.toFixed(0)} s.\n`,
  );
}

function printTimings(timings: readonly Timing[], heading: string, target: { median: string; p95: string }): void {
  const limits = `median (target < ${target.median} ms) | p95 (target < ${target.p95} ms) | mean CPU`;
  console.log(`| ${heading} | least | ${limits} | longest blocked | hits shown |`);
  console.log('|---|---:|---:|---:|---:|---:|---:|');
  for (const { name, leastMs, medianMs, p95Ms, cpuMs, longestBlockMs, found } of timings) {
    const figures = [leastMs, medianMs, p95Ms, cpuMs, longestBlockMs].map((ms) => `${ms.toFixed(1)} ms`);
    console.log(`| ${name} | ${figures.join(' | ')} | ${found.toFixed(1)} |`);
  }
  console.log('');
}
