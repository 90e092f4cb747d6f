import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/index.ts';
import { createTemporaryHome, type TemporaryHome } from '../../src/testing/index.ts';
import { isReady } from '../../test/support/pty/chat-state.ts';
import { startTerminalProcess, type TerminalOptions } from '../../test/support/pty/terminal-process.ts';
import { bareAgent, hermes } from '../contenders.ts';
import { measureTask } from '../measure.ts';
import { type ScriptedServer, startScriptedServer } from '../scripted-server.ts';
import { codexIn, installCodex } from './codex.ts';

/** Milliseconds since the spawn. */
type Start = { firstByte: number; inputReady: number; cpu: number };
/** One value per round; `codex` is empty if it was excluded. */
export type StartFigures = { hermes: Start[]; codex: Start[]; bareRequest: number[]; bareCpu: number[] };

/** A program with an input line. */
type Chat = Pick<TerminalOptions, 'program' | 'env'> & { prompt: string };

const TICK_MS = 10;
/** The screen stores its first frame this long after its start, at the latest. */
const FRAME_STORED_MS = 2000;

/**
 * The time until a pressed key is on the screen, compared with Codex, and with the bare agent's time until its first
 * request.
 */
export async function measureStarts(rounds: number, withCodex: boolean): Promise<StartFigures> {
  const figures: StartFigures = { hermes: [], codex: [], bareRequest: [], bareCpu: [] };
  await using home = await createTemporaryHome();
  const server = await startScriptedServer();
  const ours: Chat = { prompt: '❯' };
  try {
    hermes(server.baseUrl, home.path);
    await takeTurn(home, server);
    const codex = withCodex ? openCodex(home, server.baseUrl) : undefined;
    for (let round = 0; round <= rounds; round++) {
      const [mine, other] = round % 2 === 0 ? await both(home, ours, codex) : (await both(home, codex, ours)).reverse();
      const task = { steps: 0, prompt: 'Say DONE.', folder: home.workspace, probe: true };
      const { firstRequestMs, cpuMs } = await measureTask(bareAgent(server.baseUrl), server, task);
      // The first round warms up caches and is not counted.
      if (round === 0) continue;
      if (mine !== undefined) figures.hermes.push(mine);
      if (other !== undefined) figures.codex.push(other);
      figures.bareRequest.push(firstRequestMs);
      figures.bareCpu.push(cpuMs);
    }
  } finally {
    await server.close();
  }
  return figures;
}

async function both(home: TemporaryHome, ...chats: (Chat | undefined)[]): Promise<(Start | undefined)[]> {
  const starts: (Start | undefined)[] = [];
  for (const chat of chats) starts.push(chat && (await startOnce(home, chat)));
  return starts;
}

function openCodex(home: TemporaryHome, baseUrl: string): Chat {
  const parts = { program: installCodex(), workspace: home.workspace, baseUrl };
  return { ...codexIn(join(home.userHome, 'codex'), parts), prompt: '›' };
}

/** A home that was used before: after a turn it has a compile cache and the first frame of the screen. */
async function takeTurn(home: TemporaryHome, server: ScriptedServer): Promise<void> {
  server.begin(0);
  await using terminal = startTerminalProcess({ home });
  await terminal.until(isReady);
  terminal.type('Say DONE.\r');
  await terminal.until(
    (screen) => isReady(screen) && screen.some((line) => line.includes('DONE') && !line.includes('Say')),
  );
  await systemClock.sleep(FRAME_STORED_MS);
}

/** The key is pressed as soon as the input line is visible. The terminal answers queries for its background. */
async function startOnce(home: TemporaryHome, { prompt, ...program }: Chat): Promise<Start> {
  const startedAt = performance.now();
  await using terminal = startTerminalProcess({ home, ...program, background: 'dark' });
  await terminal.until(() => terminal.bytes() !== '');
  const firstByte = performance.now() - startedAt;
  await terminal.until((screen) => screen.some((line) => line === prompt || line.startsWith(`${prompt} `)));
  const cpu = cpuOf(terminal.pid());
  terminal.type('x');
  await terminal.until((screen) => screen.some((line) => line.startsWith(`${prompt} x`)));
  return { firstByte, inputReady: performance.now() - startedAt, cpu };
}

/** The CPU time of a process. The name in brackets may contain spaces; the times follow it. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
