import { homedir } from 'node:os';
import { join } from 'node:path';
import { type AskReviewer, createApprovalGuard, createCommandReviewer } from '../approvals/index.ts';
import { errorMessage } from '../base/index.ts';
import { type ApprovalSettings, type Settings, updateConfig } from '../config/index.ts';
import type { ApprovalGuard, AuxiliaryModels, Logger } from '../contracts/index.ts';
import { childEnvironment } from '../environments/index.ts';

/** `isOff`: no approval questions are asked at the moment. */
export type GuardFacts = { attended: boolean; isOff(): boolean };

export type GuardOptions = {
  settings: Settings;
  /** The session source; scheduled and batch runs have their own approval settings. */
  source: string;
  attended: boolean;
  yolo?: boolean;
  /** Like `yolo`, but checked each time, because it may change while the guard is in use. */
  isYolo?(): boolean;
  plan?: boolean;
  /** Like `plan`, but checked each time. */
  isPlan?(): boolean;
  /** See `AgentBlueprint`. */
  addedFolders?: readonly string[];
  restrictGuard?(guard: ApprovalGuard, facts: GuardFacts): ApprovalGuard;
  /** Calls the approval reviewer of the mode `smart`. Without it, that mode behaves like `manual`. */
  askReviewer?: AskReviewer;
  onAlways?(entry: string): void;
};

/** Uses the auxiliary task `approval` as the approval reviewer. */
export function createApprovalReviewer(auxiliary: AuxiliaryModels | undefined): AskReviewer | undefined {
  if (auxiliary === undefined) return undefined;
  return async ({ system, user, maxTokens, ...askedFor }, signal) => {
    const messages = [{ role: 'user' as const, content: user }];
    return (await auxiliary.ask('approval', { system, messages, maxOutputTokens: maxTokens, signal, ...askedFor }))
      .text;
  };
}

/** Creates the approval guard that the settings describe. */
export function buildApprovalGuard(options: GuardOptions): ApprovalGuard {
  const { home, approvals, commandAllowlist } = options.settings;
  const isYolo = options.isYolo ?? (() => options.yolo === true);
  const isPlan = options.isPlan ?? (() => options.plan === true || approvals.planMode === true);
  const modeNow = () => (isYolo() ? 'off' : approvals.mode);
  const guard = createApprovalGuard({
    get mode() {
      return modeNow();
    },
    get planMode() {
      return isPlan();
    },
    hermesHome: home,
    environment: () => childEnvironment(process.env),
    allowed: commandAllowlist,
    deny: approvals.deny,
    workspace: approvals.workspace,
    workspaceRoots: [...(approvals.workspaceRoots ?? []), ...(options.addedFolders ?? [])].map((root) =>
      join(root.replace(/^~(?=\/|$)/, homedir())),
    ),
    attended: options.attended,
    unattended: unattendedMode(options),
    denialLimit: approvals.denialLimit,
    reviewCommand: options.askReviewer && createCommandReviewer(options.askReviewer),
    onAlways: options.onAlways,
  });
  const facts: GuardFacts = { attended: options.attended, isOff: () => modeNow() === 'off' };
  return options.restrictGuard?.(guard, facts) ?? guard;
}

/**
 * The answer to approval prompts when no user is present. A batch runs prompts written by others, so it needs an
 * explicit setting; otherwise they are denied.
 */
function unattendedMode({ source, settings: { approvals } }: GuardOptions): ApprovalSettings['cronMode'] {
  if (source === 'cron') return approvals.cronMode;
  return source === 'batch' ? (approvals.batchMode ?? 'deny') : approvals.singleQueryMode;
}

/** What the user approved permanently. */
export interface AllowList {
  /** Adds a rule and starts writing it to the configuration. */
  add(rule: string): void;
  /** Resolves when all added rules are written. */
  settled(): Promise<void>;
}

/** Adds rules to `command_allowlist` one at a time, keeping entries that another process added in the meantime. */
export function createAllowList(home: string, logger: Logger): AllowList {
  let writing: Promise<void> = Promise.resolve();
  return {
    add(rule) {
      writing = writing
        .then(() => updateConfig(home, [{ path: ['command_allowlist'], add: rule }]))
        // If saving fails, the approval still holds for this session; the next session asks again.
        .catch((thrown: unknown) =>
          logger.warn('could not save an allow-list entry', { rule, reason: errorMessage(thrown) }),
        );
    },
    settled: () => writing,
  };
}
