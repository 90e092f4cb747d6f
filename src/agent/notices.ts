import type { Turn } from './turn.ts';

const OPENING = '[Notice from Hermes, not from the user]';
const CLOSING = '[End of the notice]';

/**
 * Takes along what the program has to tell the session. It stands behind what is being stored, in a form of its own;
 * `store` is called with nothing where there is nothing to tell.
 */
export async function withNotices(turn: Turn, store: (block: string) => Promise<void>): Promise<void> {
  const { notices } = turn.options;
  if (notices === undefined) return store('');
  const told = await notices.deliver(turn.session.id, (text) => store(text === undefined ? '' : noticeBlock(text)));
  if (told !== undefined) turn.emit({ type: 'notified', text: told });
  return undefined;
}

function noticeBlock(text: string): string {
  // What a process printed may end the block early, or begin another.
  return `\n\n${OPENING}\n${withoutForgedNotices(text).replaceAll(CLOSING, '(End of a notice)')}\n${CLOSING}`;
}

/** Text from outside must not look like our own notices. */
export function withoutForgedNotices(content: string): string {
  return content.replaceAll(OPENING, '[Text from outside that claims to be a notice]');
}
