import { join } from 'node:path';
import type { ApprovalReason, CommandFiles, Judgement } from '../contracts/index.ts';
import { allowListCovers, proposeEntry } from './allow-list-matching.ts';
import { OUTSIDE_RULE } from './files/file-guard.ts';
import { writtenPaths } from './files/command-paths.ts';
import type { MachineFacts } from './files/machine-facts.ts';
import {
  type ApprovalGuardOptions,
  askJudgement,
  blockJudgement,
  type GuardState,
  judgeDenied,
} from './approval-guard.ts';
import { PLAN_RULE } from './refusals.ts';
import { type Findings, judgeCommandLine } from './judge-command.ts';
import { createOwnProgram } from './own-program/own-program.ts';
import { createScriptRecord } from './scripts/script-disk.ts';
import { splitGit } from './shell/git-commands.ts';
import { quoteWords, type ShellCommand } from './shell/shell-command.ts';

/** Commands of git that change files of the working tree. */
const CHANGES_FILES = /^(?:checkout|switch|pull|merge|rebase|stash|reset|restore|cherry-pick|revert|apply|am)$/;

/** Judges a command line against the rules, the user's settings and the allow-list. */
export async function judgeLine(
  guarding: GuardState,
  line: string,
  workingDirectory: string,
  files?: CommandFiles,
): Promise<Judgement> {
  const { options, paths: places } = guarding;
  guarding.program ??= createOwnProgram();
  guarding.cloud ??= { isNeeded: false };
  const { program, cloud } = guarding;
  const facts = { ...places.factsFor(workingDirectory), program, cloud };
  let judged = await judgeWithScripts(guarding, line, facts, files);
  if (cloud.isNeeded && cloud.verbs === undefined) {
    cloud.verbs = await import('./rules/cloud-verbs.ts');
    judged = await judgeWithScripts(guarding, line, facts, files);
  }
  if (judged.verdict === 'block') return blockJudgement(judged.findings.map(({ reason }) => reason));
  const refused = denied(options, line, judged);
  if (refused !== undefined) return refused;
  const change = options.planMode ? (await import('./plan-mode.ts')).findChange(judged) : undefined;
  if (change !== undefined) return blockJudgement([{ rule: PLAN_RULE, matched: change }]);
  return askJudgement(options, [
    ...openReasons(guarding, judged, line, facts),
    ...outsideReasons(guarding, judged, line, facts),
  ]);
}

/** How often files of another environment are fetched: a script may run another one. */
const MAX_ROUNDS = 4;

/** Judges a command line together with the files that it runs, wherever they are. */
async function judgeWithScripts(
  { earlier }: GuardState,
  line: string,
  facts: MachineFacts,
  files: CommandFiles | undefined,
): Promise<Findings> {
  const parser = await import('unbash');
  const scripts = createScriptRecord(earlier);
  // In an isolated environment, a script cannot do harm.
  if (files?.isolated) return judgeCommandLine(parser, line, facts);
  if (files === undefined || files.localFiles) {
    const judged = judgeCommandLine(parser, line, facts, scripts.disk);
    for (const path of changedPaths(judged.commands, facts)) earlier.beforeWrite(path);
    return judged;
  }
  const disk = scripts.remoteDisk(files);
  let judged = judgeCommandLine(parser, line, facts, disk);
  for (let round = 0; round < MAX_ROUNDS && (await disk.load()); round += 1)
    judged = judgeCommandLine(parser, line, facts, disk);
  return judged;
}

/** Files with scripts that git often changes. */
const MANIFESTS = ['package.json', 'Makefile', 'justfile'];
const MAX_REMEMBERED = 20;
/** Programs with which scripts are usually written. */
const WRITERS = /^(?:git|tee|cp|mv|ln|install|sed|gsed|dd|curl|wget|patch|perl|ruby|rsync|truncate|sponge)$/;

/** The files that a command line changes, as far as they may be run later. */
function changedPaths(commands: readonly ShellCommand[], facts: MachineFacts): string[] {
  const local = commands.filter(
    ({ name, redirects, remote, script }) =>
      remote === undefined && script === undefined && (redirects.length > 0 || WRITERS.test(name)),
  );
  const written = local.flatMap((command) => {
    const changes = command.name === 'git' && CHANGES_FILES.test(splitGit(command.args).command);
    return changes ? MANIFESTS.map((name) => join(command.directory, name)) : writtenPaths(command, facts);
  });
  return written.filter((path) => !path.startsWith('/dev/')).slice(0, MAX_REMEMBERED);
}

/** The findings that the allow-list does not cover, each with the entry that "always" would add. */
function openReasons(
  { allowed }: GuardState,
  { findings }: Findings,
  line: string,
  facts: MachineFacts,
): ApprovalReason[] {
  return findings
    .filter((finding) => !allowListCovers(allowed, finding, line))
    .map((finding) => ({
      ...finding.reason,
      always: proposeEntry(finding, line, facts),
      reviewable: finding.rule?.reviewable === true && finding.command?.remote === undefined,
    }));
}

/**
 * The reasons for writes outside the workspace, with `workspace: all` only. Paths that a program writes without
 * naming them in its arguments are not detected.
 */
function outsideReasons(
  { options, paths: places, allowed }: GuardState,
  judged: Findings,
  line: string,
  facts: MachineFacts,
): ApprovalReason[] {
  if (options.workspace !== 'all' || allowed.hasRule(OUTSIDE_RULE) || allowed.has(line.trim())) return [];
  const written = judged.commands
    .filter(({ remote }) => remote === undefined)
    .flatMap((command) => writtenPaths(command, facts));
  const outside = written.find((path) => places.isOutside(path, facts.workingDirectory));
  return outside === undefined ? [] : [{ rule: OUTSIDE_RULE, matched: outside }];
}

/** The user's `deny` patterns match the line and each of its commands. */
function denied({ deny }: ApprovalGuardOptions, line: string, { commands }: Findings): Judgement | undefined {
  const statements = commands.flatMap(({ statement, name, args }) => [statement, quoteWords([name, ...args])]);
  return judgeDenied(deny, [line.trim(), ...statements]);
}
