import { loadSettings, resolveHome } from '../../../config/index.ts';
import { type Replay, type ReplayStep, replaySession } from '../../../runtime/replay/index.ts';
import { shorten } from '../../../util/index.ts';
import { counted } from '../../text/counted.ts';
import type { CliIo } from '../cli-io.ts';
import { formatBytes } from '../sessions/format-bytes.ts';
import { requireSession, withStore } from '../sessions/with-store.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, type Style, printable } from '../style.ts';

export type ReplayCommand = { json?: boolean; model?: string; provider?: string; toolsets?: readonly string[] };

const SHOWN = 60;

/** `hermes replay SESSION`: the exit code is 1 if something differs. */
export async function showReplay(reference: string, { json, ...options }: ReplayCommand, io: CliIo): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const { workingDirectory } = io;
  const replay = await withStore(io, async (store) =>
    replaySession(store, settings, await requireSession(store, reference), { ...options, workingDirectory }),
  );
  const found = countDifferences(replay);
  if (json) writeJson(io.stdout, { ...replay, same: found === 0 });
  else io.stdout.write(formatReplay(replay, createStyle(io.stdout, io.env)));
  return found === 0 ? 0 : 1;
}

function countDifferences({ differences, steps }: Replay): number {
  return steps.reduce((sum, step) => sum + step.differences.length, differences.length);
}

function formatReplay(replay: Replay, style: Style): string {
  const { sessionId, model, provider, apiMode, notes, differences, steps } = replay;
  const head = `${style.bold(printable(sessionId))}  ${printable(`${model} (${provider}, ${apiMode})`)}`;
  const differs = (message: string) => `  ${style.yellow('≠')} ${printable(message)}`;
  const lines = [
    head,
    ...notes.map((note) => style.dim(`  ${printable(note)}`)),
    ...differences.map(({ message }) => differs(message)),
    ...steps.flatMap((step) => [formatStep(step), ...step.differences.map(({ message }) => `  ${differs(message)}`)]),
    conclude(replay),
  ];
  return `${lines.join('\n')}\n`;
}

function formatStep({ step, messages, bytes, calls, text }: ReplayStep): string {
  const said = calls.length > 0 ? `calls ${calls.join(', ')}` : (text ?? 'no stored answer');
  const size = `${counted(messages, 'message')}, ${formatBytes(bytes)}`;
  return `  request ${step}: ${size} → ${printable(shorten(said, SHOWN))}`;
}

function conclude(replay: Replay): string {
  const found = countDifferences(replay);
  const requests = counted(replay.steps.length, 'request');
  if (found === 0) return `${requests}, no differences.`;
  return `${requests}, ${counted(found, 'difference')}.`;
}
