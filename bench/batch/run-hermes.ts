import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const HERMES = join(import.meta.dirname, '../../bin/hermes.js');
const USAGE_PROBE = join(import.meta.dirname, '../usage-probe.cjs');
const MEMORY_PROBE = join(import.meta.dirname, '../memory-probe.cjs');

/** A home with one model, and a working directory; both are removed at the end. */
export type BenchHome = { folder: string; home: string; remove(): void };

export function createBenchHome(modelUrl: string): BenchHome {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-bench-batch-'));
  const model = ['provider: custom', 'default: bench-model', `base_url: ${modelUrl}/v1`, 'api_key: bench-key'];
  writeFileSync(join(folder, 'config.yaml'), `model:\n${model.map((line) => `  ${line}\n`).join('')}`);
  return { folder, home: folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function writeBenchPrompts({ folder }: BenchHome, count: number): void {
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({ prompt: `count to four, number ${index}` }),
  );
  writeFileSync(join(folder, 'prompts.jsonl'), `${lines.join('\n')}\n`);
}

export type BenchExit = { code: number | null; stdout: string; stderr: string; cpuMs: number; peakMb: number };
export type BenchProcess = { child: ChildProcess; exited: Promise<BenchExit>; memoryFile: string };

let started = 0;

/** Runs the built command and returns its resource usage when it has exited. */
export function startBench(
  words: readonly string[],
  { folder, home }: BenchHome,
  env: Record<string, string> = {},
): BenchProcess {
  started += 1;
  const [usageFile, memoryFile] = [join(folder, `usage-${started}.json`), join(folder, `memory-${started}.json`)];
  const probes = ['--expose-gc', '--require', USAGE_PROBE, '--require', MEMORY_PROBE];
  const child = spawn(process.execPath, [...probes, HERMES, 'batch', ...words], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      TMPDIR: folder,
      HERMES_HOME: home,
      ...env,
      BENCH_USAGE_FILE: usageFile,
      BENCH_MEMORY_FILE: memoryFile,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr?.on('data', (data: Buffer) => (stderr += data.toString()));
  const exited = new Promise<BenchExit>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr, ...readUsage(usageFile) }));
  });
  return { child, exited, memoryFile };
}

/** The result of a successful run; throws if it failed. */
export async function runBench(
  words: readonly string[],
  home: BenchHome,
  env?: Record<string, string>,
): Promise<BenchExit> {
  const exit = await startBench(words, home, env).exited;
  if (exit.code !== 0)
    throw new Error(`hermes batch ${words.join(' ')} exited with code ${exit.code}: ${exit.stderr.slice(-2000)}`);
  return exit;
}

function readUsage(file: string): { cpuMs: number; peakMb: number } {
  try {
    const { cpuMs, peakKb } = JSON.parse(readFileSync(file, 'utf8')) as { cpuMs: number; peakKb: number };
    return { cpuMs, peakMb: peakKb / 1024 };
  } catch {
    // The process was killed before it could write its resource usage.
    return { cpuMs: Number.NaN, peakMb: Number.NaN };
  }
}
