import type { ChatStart } from '../chat.ts';

/** Whether to use plain mode: on request, or because the terminal does not support the screen. */
export function wantsPlain({ io, options, settings }: Pick<ChatStart, 'io' | 'options' | 'settings'>): boolean {
  const { HERMES_PLAIN: asked, TERM: terminal } = io.env;
  if (options.plain || settings.display.plain || (asked !== undefined && asked !== '' && asked !== '0')) return true;
  // Without raw mode, single keys cannot be read.
  return terminal === 'dumb' || !('setRawMode' in io.stdin);
}
