import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RunTrace, ScriptedServer } from './scripted-server.ts';

/** How to start one of the compared programs. */
export type Contender = {
  name: string;
  arguments: readonly string[];
  environment: Readonly<Record<string, string>>;
};

export type Measurement = {
  wallMs: number;
  firstRequestMs: number;
  firstRequestBytes: number;
  /** Only if the probe was loaded. */
  cpuMs: number;
  peakMb: number;
};

const PROBE = join(import.meta.dirname, 'usage-probe.cjs');

type Exit = { code: number | null; stdout: string; stderr: string; startedAt: number; endedAt: number };

/** Runs a program in the given folder with a minimal environment until it exits. */
function runToEnd(
  nodeArguments: readonly string[],
  environment: Record<string, string>,
  folder: string,
): Promise<Exit> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, nodeArguments, {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
    child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr, startedAt, endedAt: performance.now() }));
  });
}

/** One task of `steps` tool calls. The probe takes less than a millisecond, so startup is measured without it. */
export async function measureTask(
  contender: Contender,
  server: ScriptedServer,
  options: { steps: number; prompt: string; folder: string; probe: boolean },
): Promise<Measurement> {
  server.begin(options.steps);
  const usageFile = join(options.folder, 'usage.json');
  const exit = await runToEnd(
    [...(options.probe ? ['--require', PROBE] : []), ...contender.arguments, options.prompt],
    { ...contender.environment, BENCH_USAGE_FILE: usageFile },
    options.folder,
  );
  const trace = server.seen();
  checkRun(contender, options.steps, exit, trace);
  const usage = options.probe ? readUsage(usageFile) : { cpuMs: Number.NaN, peakMb: Number.NaN };
  return {
    wallMs: exit.endedAt - exit.startedAt,
    firstRequestMs: (trace.firstRequestAt ?? Number.NaN) - exit.startedAt,
    firstRequestBytes: trace.firstRequestBytes,
    ...usage,
  };
}

/** From spawn to exit of `--version`. */
export async function measureVersion(contender: Contender, folder: string): Promise<number> {
  // Only the program is needed; the other arguments are for a task.
  const [program = ''] = contender.arguments;
  const exit = await runToEnd([program, '--version'], { ...contender.environment }, folder);
  if (exit.code !== 0) throw new Error(`${contender.name} --version exited with code ${exit.code}: ${exit.stderr}`);
  return exit.endedAt - exit.startedAt;
}

/** A failed run is not a measurement and stops the benchmark. */
function checkRun({ name }: Contender, steps: number, { code, stdout, stderr }: Exit, trace: RunTrace): void {
  const faults = [...trace.faults];
  if (code !== 0) faults.push(`exit code ${code}`);
  if (stdout.trim() !== 'DONE') faults.push(`it printed ${JSON.stringify(stdout.slice(0, 200))} instead of DONE`);
  if (trace.requests !== steps + 1) faults.push(`it sent ${trace.requests} requests instead of ${steps + 1}`);
  if (faults.length > 0) throw new Error(`${name}, ${steps} steps: ${faults.join('; ')}\n${stderr.slice(0, 2000)}`);
}

function readUsage(file: string): { cpuMs: number; peakMb: number } {
  const { cpuMs, peakKb } = JSON.parse(readFileSync(file, 'utf8')) as { cpuMs: number; peakKb: number };
  rmSync(file);
  return { cpuMs, peakMb: peakKb / 1024 };
}
