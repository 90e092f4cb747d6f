import type { AttachedFile, UserMessage } from '../../../base/index.ts';
import type { UndoneTurns } from '../../../agent/index.ts';
import { printable } from '../../text/style.ts';
import type { SlashContext } from '../slash-context.ts';
import { isSlashCommand, parseSlashLine } from '../slash-registry.ts';

/** `/undo` and `/undo N`: removes the newest turns and puts the message back into the input line. */
export async function undoCommand(context: SlashContext, argument: string): Promise<void> {
  const turns = argument === '' ? 1 : Number(argument);
  if (!Number.isSafeInteger(turns) || turns < 1)
    return context.print('Usage: /undo [N]. /undo removes the last turn, /undo 3 the last three.\n');
  const undone = await undoTurns(context, turns);
  if (undone === undefined) return;
  context.print(`Undid ${describe(undone)}. Use /redo to reverse this. File changes are not undone.\n`);
  await reattachFiles(context, undone.userMessage);
  context.turns.restoreInput(undone.userMessage.content);
}

/** `/retry`: removes the last answer and sends the same message again. */
export async function retryCommand(context: SlashContext): Promise<void> {
  const undone = await undoTurns(context, 1);
  if (undone === undefined) return;
  const { registry, style, print, turns } = context;
  const { userMessage } = undone;
  print(style.dim(`Retrying: ${printable(userMessage.content).split('\n', 1)[0] ?? ''}\n`));
  await reattachFiles(context, userMessage);
  // A message that called a skill calls it again. Commands are never stored, so a message that looks like one was
  // imported and is sent as text.
  const isCommand = registry.find(parseSlashLine(userMessage.content).name, context.surface) !== undefined;
  if (isSlashCommand(userMessage.content) && !isCommand) await registry.runSlashCommand(userMessage.content, context);
  else await turns.send(userMessage.content);
}

/** `/redo`: restores what was undone last, unless a message was sent since. */
export async function redoCommand({ session, print }: SlashContext): Promise<void> {
  const messages = await session.redo();
  if (messages === 'held') return;
  print(
    messages === 0
      ? 'There is nothing to redo: nothing was undone, or a message was sent since.\n'
      : `Restored ${counted(messages)}.\n`,
  );
}

async function undoTurns(context: SlashContext, turns: number): Promise<UndoneTurns | undefined> {
  const { session, print } = context;
  const undone = await session.undo(turns);
  if (undone === 'held') return undefined;
  if (undone === 'compressed') print(await describeCompressed(context));
  else if (undone === undefined) print('There is nothing to undo.\n');
  else return undone;
  return undefined;
}

function describe({ turns, messages }: UndoneTurns): string {
  return `${turns === 1 ? 'the last turn' : `the last ${turns} turns`} (${counted(messages)})`;
}

function counted(messages: number): string {
  return messages === 1 ? '1 message' : `${messages} messages`;
}

/** The older messages are in the parent session, which can be branched. */
async function describeCompressed({ runtime: { store }, session }: SlashContext): Promise<string> {
  const parent = (await store.getSession(session.id()))?.parentSessionId;
  const how =
    parent === undefined ? '' : ` Use \`hermes sessions branch ${parent}\` to continue from the uncompressed session.`;
  return `The remaining turns were compressed and cannot be undone.${how}\n`;
}

/** Attaches the files of the message to the next one. A file whose blob is gone is skipped. */
async function reattachFiles({ runtime: { store }, turns }: SlashContext, { attachments }: UserMessage): Promise<void> {
  const files: AttachedFile[] = [];
  for (const { kind, mediaType, name, hash } of attachments ?? []) {
    const bytes = (await store.getBlob(hash))?.bytes;
    if (bytes !== undefined) files.push({ kind, mediaType, name, bytes });
  }
  if (files.length > 0) turns.attach(files);
}
