import { homedir } from 'node:os';
import { join } from 'node:path';
import { type AskReviewer, createApprovalGuard, createCommandReviewer } from '../approvals/index.ts';
import { errorMessage } from '../base/index.ts';
import { type ApprovalSettings, type Settings, updateConfig } from '../config/index.ts';
import type { ApprovalGuard, AuxiliaryModels, Logger } from '../contracts/index.ts';

export type GuardOptions = {
  settings: Settings;
  /** Which surface it is for; a scheduled job has a setting of its own. */
  source: string;
  attended: boolean;
  yolo?: boolean;
  /** The same, where it may change while the guard is used. */
  isYolo?(): boolean;
  plan?: boolean;
  /** Reaches the second model of the mode `smart`; without one that mode asks like `manual`. */
  askReviewer?: AskReviewer;
  onAlways?(entry: string): void;
};

/** The model for the task `approval`, as the one that reviews. */
export function reviewerOver(auxiliary: AuxiliaryModels | undefined): AskReviewer | undefined {
  if (auxiliary === undefined) return undefined;
  return async ({ system, user, maxTokens, ...askedFor }, signal) => {
    const messages = [{ role: 'user' as const, content: user }];
    return (await auxiliary.ask('approval', { system, messages, maxOutputTokens: maxTokens, signal, ...askedFor }))
      .text;
  };
}

/** The guard that the person's settings describe. */
export function buildApprovalGuard(options: GuardOptions): ApprovalGuard {
  const { home, approvals, commandAllowlist } = options.settings;
  const isYolo = options.isYolo ?? (() => options.yolo === true);
  return createApprovalGuard({
    get mode() {
      return isYolo() ? 'off' : approvals.mode;
    },
    planMode: options.plan || approvals.planMode,
    hermesHome: home,
    allowed: commandAllowlist,
    deny: approvals.deny,
    workspace: approvals.workspace,
    workspaceRoots: approvals.workspaceRoots
      ?.map((root) => root.replace(/^~(?=\/|$)/, homedir()))
      .map((root) => join(root)),
    attended: options.attended,
    unattended: unattendedMode(options),
    denialLimit: approvals.denialLimit,
    reviewCommand: options.askReviewer && createCommandReviewer(options.askReviewer),
    onAlways: options.onAlways,
  });
}

/** What a question is answered with where nobody can be asked. A batch has many prompts of others: it is named or denied. */
function unattendedMode({ source, settings: { approvals } }: GuardOptions): ApprovalSettings['cronMode'] {
  if (source === 'cron') return approvals.cronMode;
  return source === 'batch' ? (approvals.batchMode ?? 'deny') : approvals.singleQueryMode;
}

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
