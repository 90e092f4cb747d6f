import type { Judgement, Reason } from '../contracts/index.ts';
import { stripAnsi } from '../util/index.ts';
import { HARD_BLOCK, namesCommand, ruleMatches } from './hard-block.ts';
import { readShell, type ShellParser } from './read-shell.ts';
import { protectionsTouched, RULES } from './rules.ts';
import type { ShellCommand } from './shell-command.ts';
import { type Facts, writesFiles } from './targets.ts';

/** Longer than any command line a person would read before saying yes. */
const MAX_LENGTH = 128_000;
const MATCHED_LENGTH = 200;

/** Programs that only read, whatever plain words follow. With these the parser need not even be loaded. */
const HARMLESS = new Set([
  ...['ls', 'cat', 'head', 'tail', 'wc', 'echo', 'pwd', 'true', 'false', 'which', 'stat', 'du', 'df', 'uname', 'id'],
  ...['whoami', 'basename', 'dirname', 'realpath', 'file', 'grep', 'sleep', 'seq', 'cd', 'printf'],
]);
/** Programs to which the name of a command is only a word: what they do with files is for other rules to see. */
const ONLY_NAMES = new Set([
  ...['man', 'whatis', 'apropos', 'info', 'help', 'tldr', 'type', 'whereis', 'hash', 'brew', 'pip', 'pip3', 'rg', 'ag'],
  ...['ln', 'touch', 'mkdir', 'tar', 'sed', 'awk', 'test', '[', 'export', 'alias', 'local', 'declare', ''],
]);
const PLAIN_WORDS = /^[\w ./,:=@%+-]*$/;

const ALL_RULES = [...HARD_BLOCK, ...RULES];

/** Whether a rule may be about commands of this name. */
function isDangerous(name: string): boolean {
  return writesFiles(name) || ALL_RULES.some((rule) => namesCommand(rule, name));
}

/** True for a plain list of words behind a program that only reads. */
export function isPlainlyHarmless(command: string): boolean {
  return PLAIN_WORDS.test(command) && HARMLESS.has(command.trim().split(' ', 1)[0] ?? '');
}

/** Judges every simple command in a command line. */
export function judgeCommandLine(parser: ShellParser, command: string, facts: Facts): Judgement {
  if (command.length > MAX_LENGTH) {
    return {
      verdict: 'ask',
      reasons: [{ rule: 'a command too long to check', matched: `${command.length} characters` }],
    };
  }
  // The shell gets the text as it is, the person sees it without what a terminal takes as a sequence: both count. The
  // same holds for look-alike letters, which mean nothing to a shell.
  const raw = command.replaceAll('\0', '');
  const shown = stripAnsi(raw);
  const readings = new Set([raw, shown, shown.normalize('NFKC')]);
  return worst([...readings].map((text) => judgeText(parser, text, facts)));
}

/** The hard block wins over everything else in the line; otherwise one reason is enough to ask. */
function judgeText(parser: ShellParser, text: string, facts: Facts): Judgement {
  const reading = readShell(parser, text, {
    home: facts.homes[0] ?? '/',
    directory: facts.workingDirectory,
    isDangerous,
    isHarmless: (name) => HARMLESS.has(name) || ONLY_NAMES.has(name),
  });
  const blocked = reading.forkBombs.map((matched) => ({ rule: 'fork bomb', matched }));
  const asking = reading.problems.map((problem) => ({ rule: 'a command that cannot be parsed', matched: problem }));
  for (const command of reading.commands) {
    blocked.push(...reasonsOf(HARD_BLOCK, command, facts));
    asking.push(...reasonsOf(RULES, command, facts));
    for (const rule of protectionsTouched(command, facts)) asking.push({ rule, matched: command.source });
  }
  if (blocked.length > 0) return { verdict: 'block', reasons: distinct(blocked) };
  return { verdict: asking.length > 0 ? 'ask' : 'allow', reasons: distinct(asking) };
}

function reasonsOf(rules: typeof RULES, command: ShellCommand, facts: Facts): Reason[] {
  return rules
    .filter((rule) => ruleMatches(rule, command, facts))
    .map(({ rule }) => ({ rule, matched: command.source.slice(0, MATCHED_LENGTH) }));
}

/** The same part of a line can be reached on two ways, as in `sudo sh -c`. */
function distinct(reasons: readonly Reason[]): Reason[] {
  return [...new Map(reasons.map((reason) => [`${reason.rule}\n${reason.matched}`, reason])).values()];
}

/** The most careful reading holds; of several that are as careful, the reasons of all. */
function worst(judgements: readonly Judgement[]): Judgement {
  const rank = { allow: 0, ask: 1, block: 2 };
  return judgements.reduce((a, b) => {
    if (a.verdict === b.verdict) return { verdict: a.verdict, reasons: distinct([...a.reasons, ...b.reasons]) };
    return rank[b.verdict] > rank[a.verdict] ? b : a;
  });
}
