import { updateConfig } from '../config/index.ts';
import { errorMessage } from '../base/index.ts';
import type { Logger } from '../contracts/index.ts';

/** What the person allowed for good. */
export interface AllowList {
  /** Remembers a rule and begins to write it down. */
  add(rule: string): void;
  /** Resolves when all that was added is written. */
  settled(): Promise<void>;
}

/** Adds rules to `command_allowlist`, one after another, and keeps what another process has put there meanwhile. */
export function createAllowList(home: string, logger: Logger): AllowList {
  let writing: Promise<void> = Promise.resolve();
  return {
    add(rule) {
      writing = writing
        .then(() => updateConfig(home, [{ path: ['command_allowlist'], add: rule }]))
        // The answer still holds for this session; only the next one asks again.
        .catch((thrown: unknown) =>
          logger.warn('an allowed rule could not be saved', { rule, reason: errorMessage(thrown) }),
        );
    },
    settled: () => writing,
  };
}
