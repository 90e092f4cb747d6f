import { ConfigurationError } from '../../../../base/index.ts';
import { PLAIN_CHAT } from '../../chat-options.ts';
import { type CliIo, isTerminal } from '../../cli-io.ts';
import type { CliRun } from '../../cli-run.ts';
import type { ListOptions } from '../../../text/session-lines.ts';
import { listSessions } from '../list.ts';
import { withStore } from '../with-store.ts';
import { runBrowser } from './browser.ts';

export type BrowseOptions = ListOptions & { json?: boolean };

/** Sessions to look through in a terminal. Whoever goes on with one is in a chat afterwards. */
export async function browseSessions(options: BrowseOptions, io: CliIo, run: CliRun): Promise<number> {
  if (options.json) return listSessions(options, io);
  if (!isTerminal(io)) {
    throw new ConfigurationError('Browsing needs a terminal to draw in and to read keys from.', {
      hint: 'Use `hermes sessions list` and `hermes sessions show`, or add --json.',
    });
  }
  const { resume } = await withStore(io, (store) => runBrowser({ store, io, source: options.source }));
  if (resume === undefined) return 0;
  const { chat } = await import('../../chat.ts');
  return chat({ ...PLAIN_CHAT, resume }, run);
}
