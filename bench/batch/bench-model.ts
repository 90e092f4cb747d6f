import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Calls to the model per prompt: four that lead to a tool, and the answer. */
export const CALLS_PER_PROMPT = 5;

export type BenchModel = {
  url: string;
  /** Sets how it answers and forgets what it has seen; tells what it had seen until then. */
  control(settings?: object): Promise<{ requests: number; open: number; firstAt: number; lastAt: number }>;
  close(): void;
};

/** The scripted model, in a process of its own, so that its time and memory are not the agents'. */
export async function startBenchModel(): Promise<BenchModel> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'model-server.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const first = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const url = String(first.value);
  return {
    url,
    async control(settings) {
      const response = await fetch(`${url}/control`, {
        method: 'POST',
        body: settings === undefined ? '' : JSON.stringify(settings),
      });
      return (await response.json()) as Awaited<ReturnType<BenchModel['control']>>;
    },
    close: () => void child.kill(),
  };
}
