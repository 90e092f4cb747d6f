import { setImmediate } from 'node:timers/promises';
import { loadSettings, resolveHome } from '../../../config/index.ts';
import { type Replay, type ReplayStep, replaySession } from '../../../runtime/replay/index.ts';
import { shorten } from '../../../util/index.ts';
import { counted } from '../../text/counted.ts';
import type { CliIo } from '../cli-io.ts';
import { createProgressLine } from '../output/progress-line.ts';
import { formatBytes } from '../sessions/format-bytes.ts';
import { requireSession, withStore } from '../sessions/with-store.ts';
import { createStyle, type Style, printable } from '../style.ts';
import { createGarbageCollector } from './garbage-collector.ts';
import { writeReplayJson } from './write-replay-json.ts';

export type ReplayCommand = { json?: boolean; model?: string; provider?: string; toolsets?: readonly string[] };

const SHOWN = 60;

/** `hermes replay SESSION`: the exit code is 1 if something differs. */
export async function showReplay(reference: string, { json, ...options }: ReplayCommand, io: CliIo): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const { workingDirectory } = io;
  const found = await withStore(io, async (store) => {
    const session = await requireSession(store, reference);
    const replay = await replaySession(store, settings, session, { ...options, workingDirectory });
    const steps = withProgress(replay, io);
    if (json) return writeReplayJson({ ...replay, steps }, io.stdout);
    return writeReplay({ ...replay, steps }, io);
  });
  return found === 0 ? 0 : 1;
}

/** How long steps are computed before signals and other events get a turn. */
const SLICE_MS = 50;
/** After how many steps garbage is collected; it takes as long as about fifty of them. */
const COLLECT_EVERY = 1_000;
/** How often a line is written if stderr is not a terminal, such as a log file. */
const LOG_EVERY_MS = 10_000;

/**
 * Passes the steps on and shows how many are done. If stdout is a terminal, the steps themselves are shown there, and a
 * progress line would only overwrite them.
 */
async function* withProgress({ steps, requests }: Replay, io: CliIo): AsyncGenerator<ReplayStep, void> {
  const line = createProgressLine(io, { isWanted: io.stdout.isTTY !== true });
  let collect: (() => void) | undefined;
  let [rested, logged] = [performance.now(), performance.now()];
  const describe = (done: number) => `replayed ${done} of ${counted(requests, 'request')}`;
  try {
    for await (const step of steps) {
      line.draw(() => ({ text: describe(step.step), share: step.step / requests }));
      const now = performance.now();
      if (!line.isShown && io.stderr.isTTY !== true && now - logged >= LOG_EVERY_MS) {
        io.stderr.write(`${describe(step.step)}\n`);
        logged = now;
      }
      if (step.step % COLLECT_EVERY === 0) {
        collect ??= createGarbageCollector();
        collect();
      }
      if (now - rested >= SLICE_MS) {
        await setImmediate();
        rested = performance.now();
      }
      yield step;
    }
  } finally {
    line.clear();
  }
}

/** Writes each step as soon as it is known. Returns the number of differences. */
async function writeReplay({ notes, differences, steps, ...head }: Replay, { stdout, env }: CliIo): Promise<number> {
  const style = createStyle(stdout, env);
  const write = (text: string) => void stdout.write(`${text}\n`);
  write(formatHead(head, style));
  for (const note of notes) write(style.dim(`  ${printable(note)}`));
  for (const { message } of differences) write(formatDifference(message, style));
  let [requests, found] = [0, differences.length];
  for await (const step of steps) {
    write(formatStep(step));
    for (const { message } of step.differences) write(`  ${formatDifference(message, style)}`);
    requests += 1;
    found += step.differences.length;
  }
  const outcome = found === 0 ? 'no differences' : counted(found, 'difference');
  write(`${counted(requests, 'request')}, ${outcome}.`);
  return found;
}

function formatHead(
  { sessionId, model, provider, apiMode }: Omit<Replay, 'steps' | 'notes' | 'differences'>,
  style: Style,
) {
  return `${style.bold(printable(sessionId))}  ${printable(`${model} (${provider}, ${apiMode})`)}`;
}

function formatDifference(message: string, style: Style): string {
  return `  ${style.yellow('≠')} ${printable(message)}`;
}

function formatStep({ step, messages, bytes, calls, text }: ReplayStep): string {
  const said = calls.length > 0 ? `calls ${calls.join(', ')}` : (text ?? 'no stored answer');
  const size = `${counted(messages, 'message')}, ${formatBytes(bytes)}`;
  return `  request ${step}: ${size} → ${printable(shorten(said, SHOWN))}`;
}
