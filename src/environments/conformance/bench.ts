import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandOptions, CommandResult, Environment } from '../../contracts/index.ts';

export type OpenEnvironment = (workingDirectory: string) => Promise<Environment>;

export type Bench = {
  /** A local folder that every tested environment can access. */
  folder: string;
  environment: Environment;
  /** Opens another environment, for tests that change the shell state. */
  fresh(): Promise<{ environment: Environment; run: Run }>;
  run: Run;
  close(): Promise<void>;
};
export type Run = (command: string, options?: Partial<CommandOptions>) => Promise<CommandResult>;

/** Environment variables with a secret that must not reach a command. */
export function variablesWithSecret(more: Record<string, string | undefined> = process.env) {
  return { ...more, CONFORMANCE_API_KEY: 'secret' };
}

export async function createBench(open: OpenEnvironment): Promise<Bench> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'hermes-conformance-')));
  const opened: Environment[] = [];
  const fresh = async () => {
    const environment = await open(folder);
    opened.push(environment);
    return { environment, run: runIn(environment) };
  };
  const { environment, run } = await fresh();
  return {
    folder,
    environment,
    run,
    fresh,
    async close() {
      for (const each of opened) await each.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function runIn(environment: Environment): Run {
  return (command, options = {}) => {
    const { signal } = new AbortController();
    return environment.run(command, { timeoutMs: 20_000, signal, maxOutput: 10_000, ...options });
  };
}

/** Whether a local process has exactly this command line, which must be unique. */
export function isRunning(words: string): boolean {
  return readdirSync('/proc').some((name) => {
    if (!/^\d/.test(name)) return false;
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ');
      return line.trim() === words && !/\) [ZX]/.test(readFileSync(`/proc/${name}/stat`, 'latin1'));
    } catch {
      return false;
    }
  });
}

export async function untilRunning(words: string): Promise<void> {
  while (!isRunning(words)) await new Promise((resolve) => setTimeout(resolve, 25));
}

/** A number of seconds that no other test uses for `sleep`. */
export function uniqueSeconds(): string {
  return `${1000 + Math.floor(Math.random() * 1000)}.${Math.floor(Math.random() * 1e9)}`;
}
