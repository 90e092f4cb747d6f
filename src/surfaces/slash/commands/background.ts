import { systemClock } from '../../../base/index.ts';
import { shorten } from '../../../util/index.ts';
import { showable } from '../../text/style.ts';
import { formatTable } from '../../text/table.ts';
import type { SlashContext } from '../slash-context.ts';

const SHOWN = 50;
const STOP = /^stop\s+(\d+)$/;

/** `/background PROMPT` begins one, `/background` shows them, `/background stop N` ends one. */
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
      ...[`${number}  ${shorten(showable(prompt), SHOWN)}`, sessionId, ended ?? `runs, ${seconds(startedAt)}`],
    ]),
  );
}
