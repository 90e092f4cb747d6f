import { type Clock, describeFolders, HermesError, namesFolder, ownBlock, type UserMessage } from '../base/index.ts';
import type { Logger } from '../contracts/index.ts';
import { cleanSurrogates } from '../util/index.ts';
import type { AgentOptions, RunInput } from './agent-options.ts';
import type { AgentSession } from './agent-session.ts';
import { assertAttachable } from './attachments/attachment-limits.ts';
import { describeAttachments } from './attachments/describe-attachments.ts';
import { storeFiles } from './attachments/store-files.ts';
import { addHookContext, recallForTurn, appendNotices } from './added-context.ts';
import { cleanInput } from './recall-scrubber.ts';
import type { RouteChain } from './route-chain.ts';
import type { Turn } from './turn.ts';

/** What all turns of one agent share. */
export type AgentParts = {
  options: AgentOptions;
  clock: Clock;
  logger: Logger;
  session: AgentSession;
  routes: RouteChain;
};

/** A notice for the model about a session that was resumed in another working directory. */
function describeMove(from: string | undefined, to = ''): string {
  if (from === undefined) return '';
  const notice = `The working directory changed from ${from} to ${to}. Relative paths in earlier messages refer to ${from}.`;
  return ownBlock('notice').write(notice);
}

/** A notice for the model about folders that it does not know, because they were added to a stored session. */
function describeAdded({ systemPrompt, history }: AgentSession, folders: readonly string[] = []): string {
  const isKnown = (folder: string) =>
    namesFolder(systemPrompt, folder) ||
    history.some((message) => message.role === 'user' && namesFolder(message.sentContent ?? '', folder));
  const added = folders.filter((folder) => !isKnown(folder));
  return added.length === 0 ? '' : ownBlock('notice').write(describeFolders(added));
}

/**
 * Opens the session, stores the user message, then opens the route. The message comes first, so that it is stored
 * even if no model can be reached.
 */
export async function beginTurn(turn: Turn, input: RunInput): Promise<void> {
  const { session, routes, options } = turn;
  const content = cleanInput(input.userMessage);
  const files = input.attachments ?? [];
  assertAttachable(files);
  if (content.trim() === '' && files.length === 0)
    throw new HermesError('The message is empty.', { hint: 'Type a message or attach a file.' });
  const prompt = {
    ...routes.primary(),
    toolNames: await options.tools.names(),
    keepsTools: await options.tools.isOfferRestored?.(),
    systemMessage: input.systemMessage === undefined ? undefined : cleanSurrogates(input.systemMessage),
    now: turn.startedAt,
    warn: (message: string) => turn.emit({ type: 'warning', message }),
  };
  await session.open(prompt, input);
  const isFirstTurn = session.history.length === 0;
  if (isFirstTurn) options.hooks?.sessionStarted({ sessionId: session.id, source: options.source });
  const attached = files.length === 0 ? {} : { attachments: await storeFiles(options.store, session.id, files) };
  // `content` stays exactly what the user wrote; everything Hermes adds goes into `sentContent`.
  const moved = describeMove(session.takeMovedFrom(), options.origin?.workingDirectory);
  const added = describeAdded(session, options.addedFolders);
  await appendNotices(turn, (block) => {
    const message: UserMessage = { role: 'user', content, ...attached };
    const sent = (input.sentMessage === undefined ? content : cleanInput(input.sentMessage)) + moved + added + block;
    return session.append([sent === content ? message : { ...message, sentContent: sent }]);
  });
  // Recall and opening the route run in parallel: they are independent, and both may wait for the network.
  const recalled = recallForTurn(turn);
  recalled.catch(() => undefined);
  await routes.beginTurn((step, reason) => turn.emit({ type: 'fallback', ...step, reason }));
  options.context.allow(session.lineageId, 'user-message');
  turn.state.definitions = await options.tools.definitions(routes.current().contextLength);
  await options.setup?.save(session.id);
  await recalled;
  await addHookContext(turn, isFirstTurn);
  turn.emit({ type: 'started', sessionId: session.id, taskId: turn.taskId, ...routes.describe() });
  if (files.length > 0) await describeAttachments(turn);
}
