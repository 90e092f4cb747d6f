import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import type { NarrowedApproval } from '../base/index.ts';
import type {
  ApprovalGuard,
  ApprovalContext,
  CommandReview,
  Decision,
  Judgement,
  ApprovalQuestion,
  ApprovalReason,
  ReviewCommand,
} from '../contracts/index.ts';
import { createSemaphore } from '../util/index.ts';
import { type AllowEntries, createAllowEntries, matchesEntry, narrowedEntries } from './allow-entries.ts';
import { createDisk } from './files/disk.ts';
import {
  findHermesHomes,
  findProtectedPaths,
  guardedFiles,
  isBlockDevice,
  isInWorkspace,
  pathAliases,
  OUTSIDE_RULE,
  protectionOf,
  temporaryFolders,
} from './files/file-guard.ts';
import { ENV_RULE, findSecretPaths, isEnvFile, judgeSecret, usualLocations } from './files/secrets.ts';
import { type CloudTables, type MachineFacts, ownPathOf } from './files/machine-facts.ts';
import { findOwnPackage } from './own-program/own-files.ts';
import type { OwnProgram } from './own-program/own-program.ts';
import { createEarlierTexts, type EarlierTexts } from './scripts/earlier-texts.ts';
import { isPlainlyHarmless } from './plain-command.ts';
import {
  blockedMessage,
  deniedMessage,
  DENY_RULE,
  PLAN_RULE,
  ruleNames,
  TOOL_RULE,
  unattendedMessage,
} from './refusals.ts';

const DEFAULT_DENIAL_LIMIT = 3;
/** Timeout of the model review; after it the user is asked. */
const REVIEW_TIMEOUT_MS = 30_000;
const STOP_ASKING =
  'This has been denied several times in a row. Do not request it again in this session; finish the task without it.';
export type ApprovalMode = 'manual' | 'smart' | 'off';

/** Which writes outside the workspace need approval: those of file tools, those of file tools and commands, or none. */
export type WorkspaceMode = 'files' | 'all' | 'off';

export type ApprovalGuardOptions = {
  /** `off` disables approval questions; hard blocks and `deny` still apply. */
  mode?: ApprovalMode;
  /** Only read-only tools and commands run. */
  planMode?: boolean;
  home?: string;
  hermesHome?: string;
  /** The environment variables that commands get, so that paths in them can be resolved. */
  environment?(): Readonly<Record<string, string>>;
  /** Allow-list entries: rules, commands and glob patterns. */
  allowed?: Iterable<string>;
  /** Glob patterns of commands that never run. */
  deny?: readonly string[];
  workspace?: WorkspaceMode;
  /** Directories besides the working directory that can be written without approval. */
  workspaceRoots?: readonly string[];
  /** A user is present who can answer; otherwise `unattended` decides. */
  attended?: boolean;
  unattended?: 'deny' | 'approve';
  reviewCommand?: ReviewCommand;
  /** The number of consecutive denials of the same rule after which Hermes tells the model to stop asking. */
  denialLimit?: number;
  /** The time in milliseconds from which changed files count as written in this session; by default now. */
  since?: number;
  /** Called with each entry that the user approved permanently, so that it can be saved. */
  onAlways?(entry: string): void;
};

export const ALLOW: Judgement = { verdict: 'allow', reasons: [] };

/** The state that all judgements of one guard share. */
export type GuardState = {
  options: ApprovalGuardOptions;
  paths: MachinePaths;
  allowed: AllowEntries;
  earlier: EarlierTexts;
  /** Created by the first judgement of a command. */
  program?: OwnProgram;
  cloud?: CloudTables;
};

export function createApprovalGuard(options: ApprovalGuardOptions = {}): ApprovalGuard {
  const allowed = createAllowEntries(options.allowed ?? []);
  const earlier = createEarlierTexts(options.since ?? Date.now());
  const guarding: GuardState = { options, allowed, paths: createMachinePaths(options), earlier };
  return {
    get planMode() {
      return options.planMode ?? false;
    },
    async judgeCommand(line, workingDirectory, files) {
      if (isPlainlyHarmless(line)) return judgeDenied(options.deny, [line.trim()]) ?? ALLOW;
      // Loaded on demand, because many invocations need neither the shell parser nor the rules.
      const { judgeLine } = await import('./judge-line.ts');
      return judgeLine(guarding, line, workingDirectory, files);
    },
    judgeWrite: (path, workingDirectory) => {
      earlier.beforeWrite(path);
      return judgeWrite(guarding, path, workingDirectory);
    },
    judgeRead: (path) => judgeRead(guarding, path),
    judgeTool: (tool) => judgeTool(guarding, tool),
    decide: createDecider({
      ...options,
      // A getter, because the mode may change while the guard is in use.
      get mode() {
        return options.mode;
      },
      allowed,
    }),
  };
}

function judgeWrite(
  { options, paths: places, allowed }: GuardState,
  path: string,
  workingDirectory: string,
): Judgement {
  if (options.planMode) return blockJudgement([{ rule: PLAN_RULE, matched: path }]);
  if (isBlockDevice(path)) return blockJudgement([{ rule: 'overwrite a disk', matched: path }]);
  const outside = options.workspace !== 'off' && places.isOutside(path, workingDirectory) ? OUTSIDE_RULE : undefined;
  const facts = places.factsFor(workingDirectory);
  const rules = namesOf(path, facts).map((name) => writeRule(name, facts));
  const rule = rules.find((one) => one !== undefined) ?? outside;
  return rule === undefined || allowed.hasRule(rule) ? ALLOW : askJudgement(options, [{ rule, matched: path }]);
}

function judgeRead({ options, paths: places, allowed }: GuardState, path: string): Judgement {
  const facts = places.factsFor('/');
  const found = namesOf(path, facts)
    .map((name) => judgeSecret(name, facts))
    .find((one) => one !== undefined);
  if (found === undefined) return ALLOW;
  const reasons = [{ rule: found.rule, matched: path }];
  if (found.verdict === 'block') return blockJudgement(reasons);
  return allowed.hasRule(found.rule) ? ALLOW : askJudgement(options, reasons);
}

/**
 * The path, the same path in the user's own home directory, and the protected files that are the same file by a hard
 * link. Tools have resolved symbolic links.
 */
function namesOf(path: string, facts: MachineFacts): string[] {
  const own = ownPathOf(path, facts.homes);
  return [path, ...(own === undefined ? [] : [own]), ...facts.disk.sameFiles(path, () => guardedFiles(facts))];
}

/** An existing environment file of a project is not replaced without approval. */
function writeRule(path: string, facts: MachineFacts): string | undefined {
  const rule = protectionOf(path, facts);
  return rule ?? (isEnvFile(path) && facts.disk.exists(path) ? ENV_RULE : undefined);
}

/** Each tool is its own rule, so that allowing one permanently does not allow the others of its server. */
function judgeTool(
  { options, allowed }: GuardState,
  { name, reads, asks }: Parameters<ApprovalGuard['judgeTool']>[0],
): Judgement {
  if (options.planMode && !reads) return blockJudgement([{ rule: PLAN_RULE, matched: name }]);
  const rule = `${TOOL_RULE}${name}`;
  return !asks || allowed.hasRule(rule) ? ALLOW : askJudgement(options, [{ rule, matched: name }]);
}

/** Blocks a command if one of its texts matches a `deny` pattern of the user. */
export function judgeDenied(deny: readonly string[] | undefined, texts: readonly string[]): Judgement | undefined {
  const pattern = deny?.find((glob) => texts.some((text) => matchesEntry(glob, text, 'i')));
  return pattern === undefined ? undefined : blockJudgement([{ rule: DENY_RULE, matched: pattern }]);
}

export function blockJudgement(reasons: ApprovalReason[]): Judgement {
  return { verdict: 'block', reasons };
}

export function askJudgement({ mode }: ApprovalGuardOptions, reasons: ApprovalReason[]): Judgement {
  return reasons.length === 0 || mode === 'off' ? ALLOW : { verdict: 'ask', reasons };
}

type DeciderOptions = Pick<
  ApprovalGuardOptions,
  'mode' | 'attended' | 'unattended' | 'reviewCommand' | 'denialLimit' | 'onAlways'
> & { allowed: AllowEntries };

/** Resolves an `ask` judgement: from earlier answers, by a model review, or by asking the user. */
function createDecider(options: DeciderOptions): ApprovalGuard['decide'] {
  const { allowed, attended = true, unattended = 'deny' } = options;
  // One question at a time, because the answer to the first may also cover the second.
  const oneAtATime = createSemaphore(1);
  const denials = createDenialCount(options.denialLimit ?? DEFAULT_DENIAL_LIMIT);

  function isOpen({ rule, always, everyTime }: ApprovalReason, agent: ApprovalContext['agent']): boolean {
    if (everyTime) return true;
    return !agent?.approvedRules.has(rule) && !allowed.hasRule(rule) && !(always !== undefined && allowed.has(always));
  }

  function remember(
    answer: 'session' | 'always' | NarrowedApproval,
    reasons: readonly ApprovalReason[],
    agent: ApprovalContext['agent'],
  ): void {
    const lasting = reasons.filter(({ everyTime }) => !everyTime);
    if (answer === 'session') return lasting.forEach(({ rule }) => agent?.approvedRules.add(rule));
    const offered = lasting.map(({ rule, always }) => always ?? rule);
    for (const entry of answer === 'always' ? offered : narrowedEntries(answer.entries, offered)) {
      if (allowed.has(entry)) continue;
      allowed.add(entry);
      options.onAlways?.(entry);
    }
    return undefined;
  }

  /** Checks the allowed rules again first, because another answer may have covered this question while it waited. */
  async function ask(question: ApprovalQuestion, asked: ApprovalContext): Promise<Decision> {
    const { interaction, agent } = asked;
    const reasons = question.judgement.reasons.filter((reason) => isOpen(reason, agent));
    if (reasons.length === 0) return { allowed: true };
    const review = await reviewWithModel(options, question.subject, reasons, asked);
    if (review === 'approve') return { allowed: true };
    if (review === 'deny') return { allowed: false, message: denials.count(reasons, deniedMessage(reasons, question)) };
    if (!attended)
      return unattended === 'approve' && !reasons.some(({ everyTime }) => everyTime)
        ? { allowed: true }
        : { allowed: false, message: unattendedMessage(reasons, question) };
    const shown = reasons.map(({ rule, matched, always }) => ({
      rule,
      matched,
      ...(always !== undefined && { always }),
    }));
    const answer = await interaction.approve({
      toolName: question.toolName,
      subject: question.subject,
      reasons: shown,
    });
    if (answer === 'deny' || (typeof answer === 'object' && answer.answer === 'deny')) {
      const reason = answer === 'deny' ? undefined : answer.reason;
      return { allowed: false, message: denials.count(reasons, deniedMessage(reasons, question, reason)) };
    }
    denials.forget(reasons);
    if (answer !== 'once') remember(answer, reasons, agent);
    return { allowed: true };
  }

  return async (question, asked) => {
    const { verdict, reasons } = question.judgement;
    if (verdict === 'block') return { allowed: false, message: blockedMessage(reasons, question) };
    if (verdict === 'allow') return { allowed: true };
    return oneAtATime.use(() => ask(question, asked));
  };
}

/** Asks the reviewer model, but only if every reason is reviewable. If the review fails, the user is asked. */
async function reviewWithModel(
  { mode, reviewCommand }: DeciderOptions,
  subject: string,
  reasons: readonly ApprovalReason[],
  { signal, sessionId, taskId }: ApprovalContext,
): Promise<CommandReview> {
  if (mode !== 'smart' || reviewCommand === undefined || !reasons.every(({ reviewable }) => reviewable)) return 'ask';
  const limit = AbortSignal.timeout(REVIEW_TIMEOUT_MS);
  const ended = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  return reviewCommand(subject, reasons, ended, { sessionId, taskId }).catch(() => 'ask');
}

/** Counts consecutive denials per rule, to stop a model that keeps asking. */
function createDenialCount(limit: number) {
  const counts = new Map<string, number>();
  return {
    count(reasons: readonly ApprovalReason[], message: string): string {
      for (const rule of ruleNames(reasons)) counts.set(rule, (counts.get(rule) ?? 0) + 1);
      return ruleNames(reasons).some((rule) => (counts.get(rule) ?? 0) >= limit)
        ? `${message} ${STOP_ASKING}`
        : message;
    },
    forget(reasons: readonly ApprovalReason[]): void {
      for (const rule of ruleNames(reasons)) counts.delete(rule);
    },
  };
}

/** Protected and secret paths on this machine, including symbolic-link aliases. */
interface MachinePaths {
  factsFor(workingDirectory: string): MachineFacts;
  isOutside(path: string, workingDirectory: string): boolean;
}

type MachinePathOptions = Pick<ApprovalGuardOptions, 'home' | 'hermesHome' | 'workspaceRoots' | 'environment'>;

function findMachineFacts(home: string, hermesHome: string, variables: ReadonlyMap<string, string>) {
  const homes = pathAliases(home);
  const hermesHomes = findHermesHomes(home, hermesHome);
  return {
    ownPackage: pathAliases(findOwnPackage()),
    homes,
    hermesHomes,
    variables,
    secretPaths: findSecretPaths(homes, hermesHomes, variables),
    protectedPaths: findProtectedPaths(home, hermesHomes),
  };
}

/**
 * The variables of commands that hold an absolute path or the user's name. The others keep their name in a judged
 * command, so that rules recognise a variable that holds a secret.
 */
function pathVariables(
  environment: Readonly<Record<string, string>>,
  home: string,
  hermesHome: string,
): ReadonlyMap<string, string> {
  const paths = Object.entries(environment).filter(
    ([name, value]) => /^\/[^\s:*?[\]$`]*$/.test(value) && !/^(?:PWD|OLDPWD|HOME)$/.test(name),
  );
  const user = basename(home);
  const own: [string, string][] = [
    ['USER', user],
    ['LOGNAME', user],
    ['HERMES_HOME', hermesHome],
    // Shells set it themselves.
    ['HISTFILE', `${home}/.bash_history`],
  ];
  return new Map([...usualLocations(home), ...own, ...paths]);
}

/** Resolved lazily, because most runs end before a judgement needs the paths. */
function createMachinePaths({
  home = homedir(),
  hermesHome = join(home, '.hermes'),
  workspaceRoots = [],
  environment = () => ({}),
}: MachinePathOptions): MachinePaths {
  let known: Omit<MachineFacts, 'workingDirectory' | 'workspace' | 'disk'> | undefined;
  let roots: string[] | undefined;
  const workspace = () => (roots ??= workspaceRoots.flatMap(pathAliases));
  return {
    factsFor(workingDirectory) {
      known ??= findMachineFacts(home, hermesHome, pathVariables(environment(), home, hermesHome));
      return { ...known, workingDirectory, workspace: workspace(), disk: createDisk() };
    },
    isOutside(path, workingDirectory) {
      return !isInWorkspace(path, [...pathAliases(workingDirectory), ...temporaryFolders(), ...workspace()]);
    },
  };
}
