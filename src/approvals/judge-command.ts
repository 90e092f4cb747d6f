import { stripAnsi } from '../util/index.ts';
import { HARD_BLOCK, ruleMatches } from './hard-block.ts';
import { readShell, type ShellParser } from './read-shell.ts';
import { protectionsTouched, RULES } from './rules.ts';
import type { ShellCommand } from './shell-command.ts';
import type { Facts } from './targets.ts';

export type Reason = { rule: string; matched: string };
export type Judgement = { verdict: 'allow' | 'ask' | 'block'; reasons: Reason[] };

/** Longer than any command line a person would read before saying yes. */
const MAX_LENGTH = 128_000;
const MATCHED_LENGTH = 200;

/** Programs that only read, whatever plain words follow. With these the parser need not even be loaded. */
const HARMLESS = new Set(
  [
    'ls',
    'cat',
    'head',
    'tail',
    'wc',
    'echo',
    'pwd',
    'true',
    'false',
    'which',
    'stat',
    'du',
    'df',
    'uname',
    'id',
  ].concat(['whoami', 'basename', 'dirname', 'realpath', 'file', 'grep', 'sleep', 'seq', 'cd', 'printf']),
);
const PLAIN_WORDS = /^[\w ./,:=@%+-]*$/;

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
  const clean = stripAnsi(command).replaceAll('\0', '');
  // Look-alike letters mean nothing to a shell, but they do to the person who is asked.
  const readings = new Set([clean, clean.normalize('NFKC')]);
  return worst([...readings].map((text) => judgeText(parser, text, facts)));
}

/** The hard block wins over everything else in the line; otherwise one reason is enough to ask. */
function judgeText(parser: ShellParser, text: string, facts: Facts): Judgement {
  const reading = readShell(parser, text, { home: facts.home, directory: facts.workingDirectory });
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

/** Of two readings the more careful one holds. */
function worst(judgements: readonly Judgement[]): Judgement {
  const rank = { allow: 0, ask: 1, block: 2 };
  return judgements.reduce((a, b) => (rank[b.verdict] > rank[a.verdict] ? b : a));
}
