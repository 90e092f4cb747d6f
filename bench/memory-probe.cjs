// Preloaded into a measured process with `--require`, together with `--expose-gc`. On SIGUSR2 it collects garbage and
// writes the memory in use.
const { renameSync, writeFileSync } = require('node:fs');

process.on('SIGUSR2', () => {
  const target = process.env.BENCH_MEMORY_FILE;
  globalThis.gc();
  const { heapUsed, rss } = process.memoryUsage();
  // Renamed when complete, so that a process waiting for the file never reads a part of it.
  writeFileSync(`${target}.new`, JSON.stringify({ heapMb: heapUsed / 2 ** 20, residentMb: rss / 2 ** 20 }));
  renameSync(`${target}.new`, target);
});
