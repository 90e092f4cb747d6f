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
  /** Reads a line at this prompt; undefined if the user cancels. */
  ask(prompt: string): Promise<string | undefined>;
};

type RollbackRequest = { kind: 'list' } | { kind: 'diff' | 'restore'; number: number; paths: readonly string[] };

const USAGE =
  'Usage: /rollback lists checkpoints, /rollback N restores one, /rollback N PATH one file, /rollback diff N shows the changes';
/** The user confirms with a whole word, so that neither Enter nor a stray key starts a rollback. */
const YES = 'yes';

/** `/rollback`: lists checkpoints and restores files. Only a terminal can ask for confirmation. */
export async function rollbackCommand({ session, style, print, terminal }: SlashContext, argument: string) {
  const ask = terminal?.ask ?? (async () => undefined);
  await createRollbackCommand({ checkpoints: session.opened().checkpoints, sessionId: session.id, style, print, ask })(
    argument,
  );
}

/** Returns the function that runs `/rollback` with an argument. */
export function createRollbackCommand(parts: RollbackParts): (argument: string) => Promise<void> {
  const { checkpoints, print, style } = parts;

  async function list(): Promise<void> {
    const records = await (await checkpoints.open()).list();
    print(records.length === 0 ? '' : formatRecords(records, { sessionId: parts.sessionId(), style }));
    print(describeState(records, checkpoints.disabledReason));
  }

  /** Returns false if nothing has changed. */
  async function showDiff(number: number, paths: readonly string[]): Promise<boolean> {
    const diff = await (await checkpoints.open()).diff(number, { paths });
    print(formatDiff(number, diff, style));
    return diff.changes.length > 0;
  }

  async function restore(number: number, paths: readonly string[]): Promise<void> {
    if (!(await showDiff(number, paths))) return;
    const answer = await parts.ask(`Undo these changes? Type ${YES} to restore checkpoint ${number} › `);
    if (answer?.trim().toLowerCase() !== YES) return print('Cancelled. No files were changed.\n');
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

/** The path extends to the end of the line, so it may contain spaces. */
function readArgument(argument: string): RollbackRequest | undefined {
  const [, word, digits, path = ''] = /^(diff\s+)?(\d{1,9})(?:\s+(.*))?$/s.exec(argument.trim()) ?? [];
  if (argument.trim() === '') return { kind: 'list' };
  if (digits === undefined) return undefined;
  const kind = word === undefined ? 'restore' : 'diff';
  return { kind, number: Number(digits), paths: path.trim() === '' ? [] : [path.trim()] };
}

function describeState(records: readonly CheckpointRecord[], off: string | undefined): string {
  if (off !== undefined)
    return `${records.length === 0 ? 'There are no checkpoints. ' : ''}Checkpoints are disabled: ${off}.\n`;
  return records.length === 0
    ? 'There are no checkpoints yet. The first one is created before a turn changes files.\n'
    : `${USAGE}\n`;
}
