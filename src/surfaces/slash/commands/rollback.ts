import { HermesError } from '../../../base/index.ts';
import type { CheckpointRecord } from '../../../contracts/index.ts';
import type { OpenedAgent } from '../../../runtime/index.ts';
import { formatDiff, formatRecords, formatReport } from '../../text/format-checkpoints.ts';
import type { Style } from '../../text/style.ts';
import type { SlashContext } from '../slash-context.ts';

export type RollbackParts = {
  checkpoints: OpenedAgent['checkpoints'];
  sessionId(): string;
  style: Style;
  print(text: string): void;
  /** What the person types next, at this prompt; undefined where they leave. */
  ask(prompt: string): Promise<string | undefined>;
};

type Wanted = { kind: 'list' } | { kind: 'diff' | 'restore'; number: number; paths: readonly string[] };

const USAGE =
  '/rollback shows the checkpoints; /rollback N goes back to one, /rollback N PATH one file; /rollback diff N';
/** As it is typed: going back is never the answer to Enter alone, nor to a letter that was meant for something else. */
const YES = 'yes';

/** `/rollback`: the checkpoints of the files, and the way back to them. Only a terminal can ask. */
export async function rollbackCommand({ session, style, print, terminal }: SlashContext, argument: string) {
  const ask = terminal?.ask ?? (async () => undefined);
  await createRollbackCommand({ checkpoints: session.opened().checkpoints, sessionId: session.id, style, print, ask })(
    argument,
  );
}

/** What `/rollback` does with its argument. */
export function createRollbackCommand(parts: RollbackParts): (argument: string) => Promise<void> {
  const { checkpoints, print, style } = parts;

  async function list(): Promise<void> {
    const records = await (await checkpoints.open()).list();
    print(records.length === 0 ? '' : formatRecords(records, { sessionId: parts.sessionId(), style }));
    print(describeState(records, checkpoints.off));
  }

  /** False where nothing has changed. */
  async function showDiff(number: number, paths: readonly string[]): Promise<boolean> {
    const diff = await (await checkpoints.open()).diff(number, { paths });
    print(formatDiff(number, diff, style));
    return diff.changes.length > 0;
  }

  async function restore(number: number, paths: readonly string[]): Promise<void> {
    if (!(await showDiff(number, paths))) return;
    const answer = await parts.ask(`Undo this? Type ${YES} to go back to checkpoint ${number} › `);
    if (answer?.trim().toLowerCase() !== YES) return print('Nothing was changed.\n');
    print(formatReport(number, await checkpoints.restore(parts.sessionId(), number, paths), style));
  }

  return async (argument) => {
    const wanted = readArgument(argument);
    if (wanted === undefined) return print(`${USAGE}\n`);
    try {
      if (wanted.kind === 'list') await list();
      else if (wanted.kind === 'diff') await showDiff(wanted.number, wanted.paths);
      else await restore(wanted.number, wanted.paths);
    } catch (thrown) {
      if (!(thrown instanceof HermesError)) throw thrown;
      print(style.yellow([thrown.message, thrown.hint].filter(Boolean).join(' ')) + '\n');
    }
  };
}

/** A path goes to the end of the line, so that it may have blanks. */
function readArgument(argument: string): Wanted | undefined {
  const [, word, digits, path = ''] = /^(diff\s+)?(\d{1,9})(?:\s+(.*))?$/s.exec(argument.trim()) ?? [];
  if (argument.trim() === '') return { kind: 'list' };
  if (digits === undefined) return undefined;
  const kind = word === undefined ? 'restore' : 'diff';
  return { kind, number: Number(digits), paths: path.trim() === '' ? [] : [path.trim()] };
}

function describeState(records: readonly CheckpointRecord[], off: string | undefined): string {
  if (off !== undefined) return `${records.length === 0 ? 'There are no checkpoints. ' : ''}None are taken: ${off}.\n`;
  return records.length === 0
    ? 'There are no checkpoints yet: one is taken before a turn first changes files.\n'
    : `${USAGE}\n`;
}
