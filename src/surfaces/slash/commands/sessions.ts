import type { CompressOptions } from '../../../agent/index.ts';
import { describeChain } from '../../../runtime/index.ts';
import { describeSaving, describeSummary } from '../../text/describe-compression.ts';
import { formatSessions } from '../../text/session-lines.ts';
import { showable } from '../../text/style.ts';
import type { Compressed, SlashContext } from '../slash-context.ts';

/** `/new`: starts a new session. */
export async function newSessionCommand({ session, print }: SlashContext): Promise<void> {
  const models = await session.startNew();
  print(`A new session has begun, with ${showable(describeChain(models.routes()))}.\n`);
}

const RESUMABLE_SHOWN = 10;

/** `/resume` and `/resume SESSION`: switches to another session. */
export async function resumeCommand(context: SlashContext, reference: string): Promise<void> {
  const { runtime, session, columns, print } = context;
  if (reference === '') {
    const list = await formatSessions(runtime.store, { limit: RESUMABLE_SHOWN }, columns);
    return print(`${list}/resume ID, or a title, goes on with one of them.\n`);
  }
  if ((await session.goTo(reference)) === 'same') print('That is the session of this chat.\n');
}

/** `/branch` and `/branch TITLE`: continues in a copy of the session. */
export async function branchCommand({ runtime, session, print }: SlashContext, title: string): Promise<void> {
  const before = session.id();
  const branch = await session.branch();
  if (branch === undefined)
    return print('There is nothing to branch yet; the session begins with the first message.\n');
  print(`Going on in a branch, session ${branch.id}; /resume ${before} leads back.\n`);
  if (title === '') return;
  await runtime.store.setSessionTitle(branch.id, title);
  print(`It is called "${showable(title)}".\n`);
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
  if (stored === undefined)
    return print('The session begins with the first message; it can have a title after that.\n');
  if (text === '') {
    return print(
      stored.title === undefined
        ? 'The session has no title yet; /title TEXT gives it one.\n'
        : `The session is called "${showable(stored.title)}".\n`,
    );
  }
  await store.setSessionTitle(id, text);
  const title = (await store.getSession(id))?.title;
  print(
    title === undefined
      ? 'There is nothing in this title that can be seen, so the session has none now.\n'
      : `The session is now called "${showable(title)}".\n`,
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
  if (report === 'stopped') return 'Stopped; the conversation is as it was.\n';
  if (report === undefined)
    return 'There is nothing to compress: all of the conversation is among what is always kept.\n';
  const saving = describeSaving(report);
  if (previewOnly) return `It would be ${saving}. Nothing was changed; /compress does it.\n`;
  const summary = describeSummary(report);
  const where = `The conversation goes on as session ${report.sessionId}; what was said before stays and can be searched.`;
  return `Compressed: ${saving}${summary === '' ? '' : `; ${summary}`}.\n${where}\n`;
}
