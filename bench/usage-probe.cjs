// Preloaded into a measured process with `--require`. At exit it writes the resource usage. The peak is read from
// /proc, because that of getrusage also includes the size of the parent process.
const { readFileSync, writeFileSync } = require('node:fs');

const TICK_MS = 10;

process.on('exit', () => {
  const target = process.env.BENCH_USAGE_FILE;
  if (!target) return;
  const { user, system } = process.cpuUsage();
  const status = readFileSync('/proc/self/status', 'utf8');
  // The name in brackets may contain spaces; the times of finished children are the 14th and 15th field after it.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
  const childTicks = Number(fields[13]) + Number(fields[14]);
  const peakKb = Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]);
  writeFileSync(target, JSON.stringify({ cpuMs: (user + system) / 1000 + childTicks * TICK_MS, peakKb }));
});
