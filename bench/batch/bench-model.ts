import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Model calls per prompt: four that lead to a tool call, and the answer. */
export const CALLS_PER_PROMPT = 5;

export type BenchModel = {
  url: string;
  /** Configures the server and resets its statistics; returns those collected so far. */
  control(settings?: object): Promise<{ requests: number; open: number; firstAt: number; lastAt: number }>;
  close(): void;
};

/** The scripted model in a separate process, so that its time and memory are not counted. */
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
