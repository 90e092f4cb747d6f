import { resolve } from 'node:path';
import type { SessionRecord, SessionStore } from '../../../../contracts/index.ts';
import { sanitiseTitle } from '../../../../store/index.ts';
import type { CliIo } from '../../cli-io.ts';
import { exportToFile } from '../export/export.ts';
import type { Footer } from './footer.ts';
import type { SessionActions } from './session-view.ts';

export type ActionOptions = {
  store: SessionStore;
  io: CliIo;
  footer: Footer;
  session: SessionRecord;
  showAgain(): Promise<void>;
  showList(): Promise<void>;
};

/** What can be done with the session on the screen; each is asked for in the last line. */
export function createActions(options: ActionOptions): Pick<SessionActions, 'exportIt' | 'rename' | 'remove'> {
  const { store, io, footer, session, showAgain, showList } = options;
  return {
    exportIt: () =>
      footer.ask('Export to (.md, .html, .jsonl)', `${session.id}.md`, async (name) => {
        const file = resolve(io.workingDirectory, name.trim());
        await exportToFile(store, session.id, file);
        footer.say(`Wrote ${file}.`);
      }),
    rename: () =>
      footer.ask('Title', session.title ?? '', async (text) => {
        await store.setSessionTitle(session.id, sanitiseTitle(text));
        await showAgain();
      }),
    remove: () =>
      footer.confirm(`Delete "${session.title ?? session.id}" for good?`, async () => {
        await store.deleteSession(session.id);
        await showList();
        footer.say('The session is deleted.');
      }),
  };
}
