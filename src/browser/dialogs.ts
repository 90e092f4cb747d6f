import type { Dialog } from 'playwright-core';
import { shorten } from '../util/index.ts';
import type { TabState } from './tab-state.ts';

/** Answers what pages ask in windows of their own, which nobody sees. */
export interface Dialogs {
  answer(dialog: Dialog): void;
  /** For the call that begins now: whether questions are answered with yes. */
  begin(accept: boolean): void;
}

/** In one call; a page that opens more is closed. */
const MOST_DIALOGS = 20;
const MOST_OF_A_TEXT = 300;

export function createDialogs({ note, end }: Pick<TabState, 'note' | 'end'>): Dialogs {
  let accepts = false;
  let count = 0;
  return {
    answer(dialog) {
      count += 1;
      const type = dialog.type();
      const asks = type === 'confirm' || type === 'prompt';
      const yes = accepts || !asks;
      const answered = asks ? `; it was ${yes ? 'accepted' : 'dismissed'}` : '';
      // Whether a page may be left is no question: it is left.
      if (type !== 'beforeunload')
        note(`The page opened a dialog (${type}): ${shorten(dialog.message(), MOST_OF_A_TEXT)}${answered}.`);
      if (count > MOST_DIALOGS) {
        end('The page opened one dialog after another and was closed.');
        void dialog.page()?.close().catch(ignore);
      }
      void (yes ? dialog.accept(dialog.defaultValue()) : dialog.dismiss()).catch(ignore);
    },
    begin(accept) {
      accepts = accept;
      count = 0;
    },
  };
}

/** The page may be gone by then. */
function ignore(): void {}
