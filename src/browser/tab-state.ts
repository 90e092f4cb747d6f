import type { Page } from 'playwright-core';

/** What is remembered of a tab between two calls. */
export interface TabState {
  /** Those that are open, the one that is looked at last. */
  readonly pages: Page[];
  /** Tells of something at the end of the next call. */
  note(text: string): void;
  takeNotes(): string[];
  /** It cannot be used any longer; the first reason counts. */
  end(reason: string): void;
  whyGone(): string | undefined;
}

/** A page can make any number of them. */
const MOST_NOTES = 10;

export function createTabState(): TabState {
  const notes = new Set<string>();
  let gone: string | undefined;
  return {
    pages: [],
    note(text) {
      if (notes.size < MOST_NOTES) notes.add(text);
    },
    takeNotes() {
      const taken = [...notes];
      notes.clear();
      return taken;
    },
    end(reason) {
      gone ??= reason;
    },
    whyGone: () => gone,
  };
}
