import type { ChatStart } from '../chat.ts';

/** Whether a chat is held as plain lines: because someone says so, or because the terminal cannot do more. */
export function wantsPlain({ io, options, settings }: Pick<ChatStart, 'io' | 'options' | 'settings'>): boolean {
  const { HERMES_PLAIN: asked, TERM: terminal } = io.env;
  if (options.plain || settings.display.plain || (asked !== undefined && asked !== '' && asked !== '0')) return true;
  // Without raw mode no key can be told from another.
  return terminal === 'dumb' || !('setRawMode' in io.stdin);
}
