import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/index.ts';
import { createProviderServer, createTemporaryHome } from '../../src/testing/index.ts';
import { isReady } from '../../test/support/pty/chat-state.ts';
import { startTerminalProcess, type TerminalProcess } from '../../test/support/pty/terminal-process.ts';
import { sampleAnswer } from '../../test/support/sample-answers.ts';
import { hermes } from '../contenders.ts';

const PROBE = join(import.meta.dirname, '../memory-probe.cjs');
const POLL_MS = 5;

/** Memory in use after this many turns and a garbage collection. */
export type MemoryFigure = { turns: number; heapMb: number; residentMb: number; turnMs: number };

/** One chat of many turns, each with an answer in Markdown; measured at the given turns. */
export async function measureMemory(stops: readonly number[]): Promise<MemoryFigure[]> {
  await using home = await createTemporaryHome();
  await using server = await createProviderServer({
    script: ({ lastUserText, toolNames }) => ({
      text: toolNames.length === 0 ? 'A title' : sampleAnswer(Number(/\d+/.exec(lastUserText)?.[0])),
    }),
  });
  hermes(`${server.url}/v1`, home.path);
  const file = join(home.userHome, 'memory.json');
  const nodeArguments = ['--expose-gc', '--require', PROBE];
  await using terminal = startTerminalProcess({ home, nodeArguments, env: { BENCH_MEMORY_FILE: file } });
  await terminal.until(isReady);
  const figures: MemoryFigure[] = [];
  let [since, before] = [performance.now(), 0];
  for (let turn = 1; turn <= Math.max(...stops); turn++) {
    await takeTurn(terminal, turn);
    if (!stops.includes(turn)) continue;
    const turnMs = (performance.now() - since) / (turn - before);
    figures.push({ turns: turn, turnMs, ...(await readMemory(terminal.pid(), file)) });
    [since, before] = [performance.now(), turn];
  }
  return figures;
}

async function takeTurn(terminal: TerminalProcess, turn: number): Promise<void> {
  terminal.type(`question ${turn}\r`);
  await terminal.until((screen) => isReady(screen) && screen.some((line) => line.includes(`End of answer ${turn}.`)));
}

async function readMemory(pid: number, file: string): Promise<{ heapMb: number; residentMb: number }> {
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(file)) await systemClock.sleep(POLL_MS);
  return JSON.parse(readFileSync(file, 'utf8')) as { heapMb: number; residentMb: number };
}
