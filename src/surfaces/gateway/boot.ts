import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../base/index.ts';
import type { Messaging } from '../../contracts/index.ts';
import { runUnattendedTurn } from '../../conversations/unattended-turn.ts';
import type { Runtime } from '../../runtime/index.ts';
import { isSilentAnswer } from '../../util/index.ts';

const MAX_STEPS = 20;
const MAX_CHARACTERS = 64_000;

const PROMPT =
  'The messaging gateway has just started. Follow the instructions of the file BOOT.md below. Your final answer is sent to the home channel of the user. If there is nothing to report, answer exactly [SILENT].';

/**
 * Runs `BOOT.md` of the home when the gateway starts: one turn in a session of its own, without a user who could answer
 * questions. Its answer goes to the first home channel.
 */
export async function runBootFile(runtime: Runtime, messaging: Messaging, signal: AbortSignal): Promise<void> {
  const { logger, blueprint } = runtime;
  const text = await readFile(join(blueprint.settings.home, 'BOOT.md'), 'utf8').catch(() => '');
  if (text.trim() === '') return;
  try {
    const answer = await runTurn(runtime, `${PROMPT}\n\n${text.slice(0, MAX_CHARACTERS).toWellFormed()}`, signal);
    if (isSilentAnswer(answer)) return;
    const [home] = (await messaging.listTargets()).homes;
    if (home === undefined) logger.info('BOOT.md has an answer, but there is no home channel', { answer });
    else await messaging.send(home, answer, signal);
  } catch (thrown) {
    if (!signal.aborted) logger.warn('BOOT.md failed', { error: errorMessage(thrown) });
  }
}

async function runTurn(runtime: Runtime, text: string, signal: AbortSignal): Promise<string> {
  const blueprint = { ...runtime.blueprint, surface: 'gateway', impersonal: true, maxTurns: MAX_STEPS };
  const { finalResponse, completed, error } = await runUnattendedTurn(runtime, blueprint, { text, signal });
  if (!completed && error !== undefined) throw new Error(error.message);
  return completed ? finalResponse : '';
}
