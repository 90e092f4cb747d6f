import type { Message } from '../base/index.ts';
import { visibleHistory } from './request.ts';
import type { Turn } from './turn.ts';

const MOST_REDUCTIONS = 3;
const CHARACTERS_PER_TOKEN = 4;
/** What an image of usual size takes; a PDF file takes it for each of its pages, which are not counted here. */
const TOKENS_PER_ATTACHMENT = 1_600;

/** Makes the request smaller, if that is still possible in this turn. What is stored stays whole. */
export function reduceContext(turn: Turn): boolean {
  const { session, state, options } = turn;
  const charactersBefore = charactersOf(visibleHistory(session));
  while (state.contextReductions < MOST_REDUCTIONS) {
    state.contextReductions += 1;
    const reduction = options.context.reduce(session.history, state.contextReductions);
    if (!reduction) continue;
    const rest = session.history.slice(reduction.boundary);
    const charactersAfter = charactersOf([...reduction.reduced, ...rest]);
    if (charactersAfter >= charactersBefore) continue;
    session.reduction = reduction;
    session.measured = undefined;
    // What was shown before may be gone from the request: nothing may be answered with "you have seen it".
    for (const file of session.toolState.seenFiles?.values() ?? []) file.shown.clear();
    turn.emit({
      type: 'context-pruned',
      messagesBefore: session.history.length,
      charactersBefore,
      charactersAfter,
    });
    return true;
  }
  return false;
}

/** Where the window is known, a request that cannot fit is not sent to find that out. */
export function fitContext(turn: Turn): void {
  const tokens = contextTokens(turn);
  // Before the first call there is nothing to compare, and asking a route for its window may cost it a look.
  if (tokens === 0) return;
  const limit = turn.routes.lessons().contextLimit ?? turn.routes.current().contextLength;
  if (limit !== undefined && tokens > limit) reduceContext(turn);
}

/** What the last call took, by the provider's count, and a guess at what came since; nothing before the first call. */
function contextTokens({ session }: Turn): number {
  const { measured } = session;
  if (measured === undefined) return 0;
  const added = session.history.slice(measured.messages + 1);
  const attached = added.flatMap((message) => (message.role === 'user' ? (message.attachments ?? []) : []));
  return measured.tokens + charactersOf(added) / CHARACTERS_PER_TOKEN + attached.length * TOKENS_PER_ATTACHMENT;
}

function charactersOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
}
