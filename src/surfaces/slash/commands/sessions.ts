import type { CompressOptions } from '../../../agent/index.ts';
import { describeChain } from '../../../runtime/index.ts';
import { describeSaving, describeSummary } from '../../text/describe-compression.ts';
import { formatSessions } from '../../text/session-lines.ts';
import { printable } from '../../text/style.ts';
import type { Compressed, SlashContext } from '../slash-context.ts';

/** `/new`: starts a new session. */
export async function newSessionCommand({ session, print }: SlashContext): Promise<void> {
  const models = await session.startNew();
  print(`Started a new session with ${printable(describeChain(models.routes()))}.\n`);
}

const RESUMABLE_SHOWN = 10;

/** `/resume` and `/resume SESSION`: switches to another session. Without one, the user selects it from a list. */
export async function resumeCommand(context: SlashContext, reference: string): Promise<void> {
  const { runtime, session, columns, print, terminal } = context;
  if (reference === '' && terminal?.pick !== undefined) {
    const { createSessionPick } = await import('../session-pick.ts');
    const chosen = await terminal.pick(await createSessionPick(runtime.store, session.id()));
    if (chosen !== undefined) await session.switchTo(chosen);
    return;
  }
  if (reference === '') {
    const list = await formatSessions(runtime.store, { limit: RESUMABLE_SHOWN }, columns);
    return print(`${list}Use /resume with an id or a title to continue one of them.\n`);
  }
  if ((await session.switchTo(reference)) === 'same') print('This is already the current session.\n');
}

/** `/branch` and `/branch TITLE`: continues in a copy of the session. */
export async function branchCommand({ runtime, session, print }: SlashContext, title: string): Promise<void> {
  const before = session.id();
  const branch = await session.branch();
  if (branch === undefined)
    return print('There is nothing to branch yet. The session starts with the first message.\n');
  print(`Continuing in a branch, session ${branch.id}. Use /resume ${before} to return.\n`);
  if (title === '') return;
  await runtime.store.setSessionTitle(branch.id, title);
  print(`The title of the branch is "${printable(title)}".\n`);
}

const SESSIONS_SHOWN = 15;

/** `/sessions`: lists the most recent sessions. */
export async function sessionsCommand({ runtime, columns, print }: SlashContext): Promise<void> {
  print(await formatSessions(runtime.store, { limit: SESSIONS_SHOWN }, columns));
}

/** `/title` and `/title TEXT`. */
export async function titleCommand({ runtime, session, print }: SlashContext, text: string): Promise<void> {
  const { store } = runtime;
  const id = session.id();
  const stored = await store.getSession(id);
  if (stored === undefined) return print('The session starts with the first message. Set the title after that.\n');
  if (text === '') {
    return print(
      stored.title === undefined
        ? 'The session has no title yet. Set one with /title TEXT.\n'
        : `The title of the session is "${printable(stored.title)}".\n`,
    );
  }
  await store.setSessionTitle(id, text);
  const title = (await store.getSession(id))?.title;
  print(
    title === undefined
      ? 'The title has no visible characters, so the session now has none.\n'
      : `The title of the session is now "${printable(title)}".\n`,
  );
}

const PREVIEW = /^--preview(?:\s+|$)/;

/** `/compress`, `/compress TOPIC` and `/compress --preview`. */
export async function compressCommand({ session, style, print }: SlashContext, argument: string): Promise<void> {
  const request = parseCompress(argument);
  if (!request.previewOnly) print(style.dim('Compressing…\n'));
  const report = await session.compress(request);
  if (report !== 'held') print(formatCompression(report, request.previewOnly));
}

function parseCompress(argument: string): Pick<CompressOptions, 'topic' | 'previewOnly'> {
  const topic = argument.replace(PREVIEW, '').trim();
  return {
    ...(topic === '' ? {} : { topic }),
    ...(PREVIEW.test(argument) ? { previewOnly: true } : {}),
  };
}

/** Describes the outcome of a compression. */
function formatCompression(report: Exclude<Compressed, 'held'>, previewOnly = false): string {
  if (report === 'stopped') return 'Compression was interrupted. The conversation is unchanged.\n';
  if (report === undefined) return 'There is nothing to compress: all messages are among those that are always kept.\n';
  const saving = describeSaving(report);
  if (previewOnly) return `Preview: ${saving}. Nothing was changed. Use /compress to apply it.\n`;
  const summary = describeSummary(report);
  const where = `The conversation continues as session ${report.sessionId}. Earlier messages are kept and can be searched.`;
  return `Compressed: ${saving}${summary === '' ? '' : `; ${summary}`}.\n${where}\n`;
}
