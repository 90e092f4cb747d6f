// Loaded into a measured process with `--require`, together with `--expose-gc`. On SIGUSR2 it collects what nobody needs
// any more and writes how much memory is left in use.
const { renameSync, writeFileSync } = require('node:fs');

process.on('SIGUSR2', () => {
  const target = process.env.BENCH_MEMORY_FILE;
  globalThis.gc();
  const { heapUsed, rss } = process.memoryUsage();
  // Under another name first: whoever waits for the file finds it whole.
  writeFileSync(`${target}.new`, JSON.stringify({ heapMb: heapUsed / 2 ** 20, residentMb: rss / 2 ** 20 }));
  renameSync(`${target}.new`, target);
});
