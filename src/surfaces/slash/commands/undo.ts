import type { AttachedFile, UserMessage } from '../../../base/index.ts';
import type { UndoneTurns } from '../../../agent/index.ts';
import { showable } from '../../text/style.ts';
import type { SlashContext } from '../slash-context.ts';
import { isSlashCommand, readSlashLine } from '../slash-registry.ts';

/** `/undo` and `/undo N`: the newest turns leave the conversation; what was said comes back to be said otherwise. */
export async function undoCommand(context: SlashContext, argument: string): Promise<void> {
  const turns = argument === '' ? 1 : Number(argument);
  if (!Number.isSafeInteger(turns) || turns < 1)
    return context.print('/undo takes back the last turn, /undo 3 the last three.\n');
  const undone = await takeBack(context, turns);
  if (undone === undefined) return;
  context.print(`Took back ${describe(undone)}; /redo brings that back. What was done to files stays done.\n`);
  await attachAgain(context, undone.said);
  context.turns.giveBack(undone.said.content);
}

/** `/retry`: the same message again, without the answer it got. */
export async function retryCommand(context: SlashContext): Promise<void> {
  const undone = await takeBack(context, 1);
  if (undone === undefined) return;
  const { registry, style, print, turns } = context;
  const { said } = undone;
  print(style.dim(`Again: ${showable(said.content).split('\n', 1)[0] ?? ''}\n`));
  await attachAgain(context, said);
  // A line that called a skill calls it again. A command was never sent, so what looks like one is text of an import.
  const isCommand = registry.find(readSlashLine(said.content).name, context.surface) !== undefined;
  if (isSlashCommand(said.content) && !isCommand) await registry.runSlashCommand(said.content, context);
  else await turns.send(said.content);
}

/** `/redo`: what was taken back last, as long as nothing was said since. */
export async function redoCommand({ session, print }: SlashContext): Promise<void> {
  const messages = await session.redo();
  if (messages === 'held') return;
  print(
    messages === 0
      ? 'There is nothing to bring back: nothing was taken back, or something was said since.\n'
      : `Brought back ${counted(messages)}.\n`,
  );
}

async function takeBack(context: SlashContext, turns: number): Promise<UndoneTurns | undefined> {
  const { session, print } = context;
  const undone = await session.undo(turns);
  if (undone === 'held') return undefined;
  if (undone === 'compressed') print(await describeCompressed(context));
  else if (undone === undefined) print('There is nothing to take back.\n');
  else return undone;
  return undefined;
}

function describe({ turns, messages }: UndoneTurns): string {
  return `${turns === 1 ? 'the last turn' : `the last ${turns} turns`} (${counted(messages)})`;
}

function counted(messages: number): string {
  return messages === 1 ? '1 message' : `${messages} messages`;
}

/** What was said before stands in the session that was compressed. */
async function describeCompressed({ runtime: { store }, session }: SlashContext): Promise<string> {
  const parent = (await store.getSession(session.id()))?.parentSessionId;
  const how = parent === undefined ? '' : ` \`hermes sessions branch ${parent}\` goes on from there.`;
  return `All that is left was compressed, and cannot be taken back.${how}\n`;
}

/** What went with the message goes with the next one. A file whose bytes are gone is left out. */
async function attachAgain({ runtime: { store }, turns }: SlashContext, { attachments }: UserMessage): Promise<void> {
  const files: AttachedFile[] = [];
  for (const { kind, mediaType, name, hash } of attachments ?? []) {
    const bytes = (await store.getBlob(hash))?.bytes;
    if (bytes !== undefined) files.push({ kind, mediaType, name, bytes });
  }
  if (files.length > 0) turns.attach(files);
}
