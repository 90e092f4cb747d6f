import { readFileSync } from 'node:fs';
import { createTemporaryHome } from '../../src/testing/index.ts';
import { isReady } from '../../test/support/pty/chat-state.ts';
import { startTerminalProcess } from '../../test/support/pty/terminal-process.ts';
import { bareAgent, hermes } from '../contenders.ts';
import { measureTask } from '../measure.ts';
import { type ScriptedServer, startScriptedServer } from '../scripted-server.ts';

/** Milliseconds since the spawn, one value per round. */
export type StartFigures = Record<'firstByte' | 'inputReady' | 'cpu' | 'bareRequest' | 'bareCpu', number[]>;

const TICK_MS = 10;

/** The time until a pressed key is on the screen, compared with the bare agent's time until its first request. */
export async function measureStarts(rounds: number): Promise<StartFigures> {
  const figures: StartFigures = { firstByte: [], inputReady: [], cpu: [], bareRequest: [], bareCpu: [] };
  await using home = await createTemporaryHome();
  const server = await startScriptedServer();
  try {
    hermes(server.baseUrl, home.path);
    await takeTurn(home, server);
    for (let round = 0; round <= rounds; round++) {
      const screen = await startOnce(home);
      const task = { steps: 0, prompt: 'Say DONE.', folder: home.workspace, probe: true };
      const { firstRequestMs, cpuMs } = await measureTask(bareAgent(server.baseUrl), server, task);
      // The first round warms up caches and is not counted.
      if (round === 0) continue;
      figures.firstByte.push(screen.firstByte);
      figures.inputReady.push(screen.inputReady);
      figures.cpu.push(screen.cpu);
      figures.bareRequest.push(firstRequestMs);
      figures.bareCpu.push(cpuMs);
    }
  } finally {
    await server.close();
  }
  return figures;
}

/** A home that was used before: after a turn it has a compile cache. */
async function takeTurn(home: Awaited<ReturnType<typeof createTemporaryHome>>, server: ScriptedServer): Promise<void> {
  server.begin(0);
  await using terminal = startTerminalProcess({ home });
  await terminal.until(isReady);
  terminal.type('Say DONE.\r');
  await terminal.until(
    (screen) => isReady(screen) && screen.some((line) => line.includes('DONE') && !line.includes('Say')),
  );
}

async function startOnce(home: Awaited<ReturnType<typeof createTemporaryHome>>) {
  const startedAt = performance.now();
  await using terminal = startTerminalProcess({ home });
  await terminal.until(() => terminal.bytes() !== '');
  const firstByte = performance.now() - startedAt;
  await terminal.until(isReady);
  const cpu = cpuOf(terminal.pid());
  terminal.type('x');
  await terminal.until((screen) => screen.some((line) => line.startsWith('❯ x')));
  return { firstByte, inputReady: performance.now() - startedAt, cpu };
}

/** The CPU time of a process. The name in brackets may contain spaces; the times follow it. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
