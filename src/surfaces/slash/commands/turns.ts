import { systemClock } from '../../../base/index.ts';
import { shorten } from '../../../util/index.ts';
import { showable } from '../../text/style.ts';
import { formatTable } from '../../text/table.ts';
import type { SlashContext } from '../slash-context.ts';

/** `/steer TEXT`: sends a message to the running turn, or as the next message. */
export async function steerCommand({ turns, style, print }: SlashContext, text: string): Promise<void> {
  if (text === '') return print('/steer TEXT hands words to the turn that runs.\n');
  if (turns.steer(text)) return print(style.dim('Handed on with the next step.\n'));
  if (!turns.isRunning()) return turns.send(text);
  turns.queue(text);
  print(style.dim('What runs takes nothing more; it is the next message.\n'));
}

/** `/queue TEXT` queues a message until the turn ends; `/queue` lists the queue. */
export async function queueCommand({ turns, style, print }: SlashContext, text: string): Promise<void> {
  if (text !== '' && !turns.isRunning()) return turns.send(text);
  if (text !== '') {
    turns.queue(text);
    return print(style.dim(`It waits for the turn to end, as number ${turns.waiting().length}.\n`));
  }
  const waiting = turns.waiting().map((line, index) => `  ${index + 1}. ${showable(line)}\n`);
  print(waiting.length === 0 ? 'Nothing waits.\n' : waiting.join(''));
}

const SHOWN = 50;
const STOP = /^stop\s+(\d+)$/;

/** `/background PROMPT` starts a background run, `/background` lists them, `/background stop N` stops one. */
export async function backgroundCommand({ background, print }: SlashContext, argument: string): Promise<void> {
  if (background === undefined) return print('Nothing can run in the background here.\n');
  if (argument === '') return print(formatRuns(background.list()));
  const number = STOP.exec(argument)?.[1];
  if (number !== undefined)
    return print(background.stop(Number(number)) ? `Background ${number} is being stopped.\n` : 'It does not run.\n');
  const run = await background.start(argument);
  print(
    `Background ${run.number} has begun, in session ${run.sessionId}. Nobody is asked there: what needs a yes is not done.\n`,
  );
}

function formatRuns(runs: ReturnType<NonNullable<SlashContext['background']>['list']>): string {
  if (runs.length === 0) return 'Nothing runs in the background; /background PROMPT begins something.\n';
  const seconds = (since: number) => `${Math.round((systemClock.now() - since) / 1000)} s`;
  return formatTable(
    runs.map(({ number, prompt, sessionId, startedAt, ended }) => [
      `${number}  ${shorten(showable(prompt), SHOWN)}`,
      sessionId,
      ended ?? `runs, ${seconds(startedAt)}`,
    ]),
  );
}
