import { systemClock } from '../../../base/index.ts';
import { shorten } from '../../../util/index.ts';
import { printable } from '../../text/style.ts';
import { formatTable } from '../../text/table.ts';
import type { SlashContext } from '../slash-context.ts';

/** `/steer TEXT`: sends a message to the running turn, or as the next message. */
export async function steerCommand({ turns, style, print }: SlashContext, text: string): Promise<void> {
  if (text === '') return print('Usage: /steer TEXT. Passes the text to the running turn.\n');
  if (turns.steer(text)) return print(style.dim('The model will read it at the next step.\n'));
  if (!turns.isRunning()) return turns.send(text);
  turns.queue(text);
  print(style.dim('The running turn accepts no more messages, so the text is queued as the next one.\n'));
}

/** `/queue TEXT` queues a message until the turn ends; `/queue` lists the queue. */
export async function queueCommand({ turns, style, print }: SlashContext, text: string): Promise<void> {
  if (text !== '' && !turns.isRunning()) return turns.send(text);
  if (text !== '') {
    turns.queue(text);
    return print(style.dim(`Queued as number ${turns.queued().length} until the turn ends.\n`));
  }
  const waiting = turns.queued().map((line, index) => `  ${index + 1}. ${printable(line)}\n`);
  print(waiting.length === 0 ? 'The queue is empty.\n' : waiting.join(''));
}

const SHOWN = 50;
const STOP = /^stop\s+(\d+)$/;

/** `/background PROMPT` starts a background run, `/background` lists them, `/background stop N` stops one. */
export async function backgroundCommand({ background, print }: SlashContext, argument: string): Promise<void> {
  if (background === undefined) return print('Background turns are not available here.\n');
  if (argument === '') return print(formatRuns(background.list()));
  const number = STOP.exec(argument)?.[1];
  if (number !== undefined)
    return print(
      background.stop(Number(number))
        ? `Stopping background turn ${number}.\n`
        : 'No background turn with this number is running.\n',
    );
  const run = await background.start(argument);
  print(
    `Started background turn ${run.number} in session ${run.sessionId}. It is unattended: operations that need approval are denied.\n`,
  );
}

function formatRuns(runs: ReturnType<NonNullable<SlashContext['background']>['list']>): string {
  if (runs.length === 0) return 'There are no background turns. Start one with /background PROMPT.\n';
  const seconds = (since: number) => `${Math.round((systemClock.now() - since) / 1000)} s`;
  return formatTable(
    runs.map(({ number, prompt, sessionId, startedAt, ended }) => [
      `${number}  ${shorten(printable(prompt), SHOWN)}`,
      sessionId,
      ended ?? `running for ${seconds(startedAt)}`,
    ]),
  );
}
