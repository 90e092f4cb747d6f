import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { storeSession } from './store-session.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

export type ReplayMeasurement = { cpuMs: number; peakMb: number; lastLine: string };

/** Replays a new session of this many messages with the built program, in a process of its own. */
export async function measureReplay(messages: number): Promise<ReplayMeasurement> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-bench-'));
  try {
    const id = await storeSession(folder, messages);
    const usageFile = join(folder, 'usage.json');
    const args = ['--require', join(ROOT, 'bench/usage-probe.cjs'), join(ROOT, 'bin/hermes.js'), 'replay', id];
    const env = { PATH: process.env['PATH'], HOME: folder, HERMES_HOME: folder, BENCH_USAGE_FILE: usageFile };
    // The prompt would be another one today, so the exit code is 1.
    const options = { cwd: folder, env, maxBuffer: 2 ** 28 };
    const exit = await run(process.execPath, args, options).catch((failure: { stdout: string }) => failure);
    const { cpuMs, peakKb } = JSON.parse(readFileSync(usageFile, 'utf8')) as { cpuMs: number; peakKb: number };
    return { cpuMs, peakMb: peakKb / 1024, lastLine: exit.stdout.trimEnd().split('\n').at(-1) ?? '' };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
