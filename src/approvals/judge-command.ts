import { relative } from 'node:path';
import type { Judgement, ApprovalReason } from '../contracts/index.ts';
import { stripAnsi } from '../util/index.ts';
import { copiesThatCreate } from './files/env-files.ts';
import { linksMade } from './files/command-paths.ts';
import { protectionsTouched } from './files/guarded-paths.ts';
import type { MachineFacts } from './files/machine-facts.ts';
import { writesFiles } from './files/write-arguments.ts';
import { READ_ONLY_PROGRAMS } from './plain-command.ts';
import { appliesInScript } from './rules/existing-scripts.ts';
import { type CommandRule, hasRuleFor, ruleMatches, rulesFor } from './rules/index.ts';
import { remotesAdded } from './rules/git-rules.ts';
import type { ScriptDisk } from './scripts/script-disk.ts';
import { readShell } from './shell/read-shell.ts';
import type { ShellParser } from './shell/reader.ts';
import type { ShellCommand } from './shell/shell-command.ts';
import { globSource } from './shell/words.ts';

/** Longer command lines always need approval, because parsing them would take too long. */
const MAX_LENGTH = 128_000;
/**
 * Limit for the number of expansions times the length, because the parser may rescan the rest of the text for each
 * one.
 */
const MAX_WORK = 12_000_000;
const MATCHED_LENGTH = 200;
const TOO_LONG_RULE = 'a command too long to check';
const UNREADABLE_RULE = 'a command that cannot be parsed';
const FORK_BOMB_RULE = 'fork bomb';
const REMOTE_RULES = { machine: 'dangerous command on another machine', container: 'dangerous command in a container' };
/**
 * Programs that never run their arguments, so a command name among them is only a word. Other rules check their
 * files.
 */
const NON_EXECUTING_PROGRAMS = new Set([
  '',
  ...[
    'man whatis apropos info help tldr type whereis hash brew pip pip3 rg ag cat head tail ln touch mkdir tar',
    'sed awk test [ export alias local declare grep egrep unset unalias apt dpkg-query diff vim nano less code',
    'compgen complete readonly return for case history cheat ack jq say figlet cowsay notify-send logger',
  ].flatMap((line) => line.split(' ')),
]);
/** Names that a glob pattern in place of a command name is matched against. */
const NAMES =
  'rm dd mkfs shred wipefs shutdown reboot halt poweroff kill killall find chmod sh bash curl sudo mv tee'.split(' ');
/** Invisible characters: zero-width, direction marks, soft hyphens, variation selectors, tags. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** Pairs of a non-Latin letter and the Latin letter it looks like. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  [
    'аa еe оo рp сc уy хx іi јj ѕs һh ԁd ԛq ԝw гr мm нh кk тt вb пn АA ВB ЕE КK МM НH ОO РP СC ТT ХX ӏl Ӏl',
    'ɡg ɩi ոn օo սu ցg հh αa οo ρp νv ιi κk τt υu χx εe ΑA ΒB ΕE ΜM ΝN ΟO ΡP ΤT ꮁr ᴦr ᴍm',
    '‐- ‑- ‒- –- —- ―- −- ⁄/ ∕/ ⧸/ ∣| ǀ|',
  ].flatMap((line) =>
    line.split(' ').map((pair): [string, string] => {
      const [look = '', plain = ''] = [...pair];
      return [look, plain];
    }),
  ),
);

/** A reason together with the command and rule it comes from, so that the scope of "always" can be determined. */
export type Finding = { reason: ApprovalReason; command: ShellCommand | undefined; rule: CommandRule | undefined };

export type Findings = { verdict: Judgement['verdict']; findings: Finding[]; commands: readonly ShellCommand[] };

/** Judges every simple command in a command line. */
export function judgeCommandLine(
  parser: ShellParser,
  command: string,
  facts: MachineFacts,
  scripts?: ScriptDisk,
): Findings {
  const length = command.length;
  const openings = command.match(/[$<>]\(|`|\$\{|<</g)?.length ?? 0;
  if (length > MAX_LENGTH || openings * length > MAX_WORK) return unreadable(TOO_LONG_RULE, `${length} characters`);
  const { asGiven, asSeen } = readingsOf(command);
  const judged = [
    judgeText(parser, asGiven, facts, scripts),
    ...asSeen.map((text) => judgeDisplayedText(parser, text, facts, scripts)),
  ];
  return strictest(judged);
}

function unreadable(rule: string, matched: string): Findings {
  return {
    verdict: 'ask',
    findings: [{ reason: { rule, matched }, command: undefined, rule: undefined }],
    commands: [],
  };
}

/** Judges the line as it looks on the screen. A parse error in this text is not a reason to ask. */
function judgeDisplayedText(
  parser: ShellParser,
  text: string,
  facts: MachineFacts,
  scripts: ScriptDisk | undefined,
): Findings {
  const judged = judgeText(parser, text, facts, scripts);
  const findings = judged.findings.filter(({ reason }) => reason.rule !== UNREADABLE_RULE);
  return findings.length === 0 ? { ...judged, verdict: 'allow', findings } : { ...judged, findings };
}

/** A hard block takes precedence over everything else in the line; otherwise one reason is enough to ask. */
function judgeText(
  parser: ShellParser,
  text: string,
  machine: MachineFacts,
  scripts: ScriptDisk | undefined,
): Findings {
  const reading = read(parser, text, machine, scripts);
  if (reading === undefined) return unreadable(UNREADABLE_RULE, 'nested too deeply to read');
  const facts: MachineFacts = {
    ...machine,
    links: linksMade(reading.commands, machine),
    remotes: remotesAdded(reading.commands),
    creates: copiesThatCreate(text),
    backup: reading.commands.some(({ name, args }) => name === 'hermes' && args.includes('backup')),
    resolved: new WeakMap(),
  };
  const plain = (rule: string) => (matched: string) => ({
    reason: { rule, matched: matched.slice(0, MATCHED_LENGTH) },
    command: undefined,
    rule: undefined,
  });
  const blocked: Finding[] = reading.forkBombs.map(plain(FORK_BOMB_RULE));
  const asking: Finding[] = reading.problems.map(plain(UNREADABLE_RULE));
  for (const command of reading.commands) {
    (command.remote === undefined ? blocked : asking).push(
      ...findingsOf(rulesFor('block', command.name), command, facts),
    );
    asking.push(...findingsOf(rulesFor('ask', command.name), command, facts));
    for (const rule of protectionsTouched(command, facts))
      asking.push({
        reason: { rule: ruleName(rule, command), matched: withFile(command.source, command, facts) },
        command,
        rule: undefined,
      });
  }
  const findings = distinct(blocked.length > 0 ? blocked : asking);
  return {
    verdict: blocked.length > 0 ? 'block' : asking.length > 0 ? 'ask' : 'allow',
    findings,
    commands: reading.commands,
  };
}

/** Returns undefined for text that overflows the parser's stack. */
function read(parser: ShellParser, text: string, facts: MachineFacts, scripts: ScriptDisk | undefined) {
  try {
    return readShell(parser, text, {
      home: facts.homes[0] ?? '/',
      directory: facts.workingDirectory,
      variables: facts.variables,
      program: facts.program,
      scripts,
      isDangerous,
      isHarmless: (name) => READ_ONLY_PROGRAMS.has(name) || NON_EXECUTING_PROGRAMS.has(name),
      namesLike: (pattern) =>
        pattern.length > 20 ? [] : NAMES.filter((name) => new RegExp(`^(?:${globSource(pattern)})$`).test(name)),
    });
  } catch (thrown) {
    if (thrown instanceof RangeError || thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

function findingsOf(rules: readonly CommandRule[], command: ShellCommand, facts: MachineFacts): Finding[] {
  return rules
    .filter((rule) => ruleMatches(rule, command, facts) && appliesInScript(rule, command, facts))
    .map((rule) => {
      const matched = (rule.aboutInput ? command.pipeline : undefined) ?? command.source;
      return {
        reason: { rule: ruleName(rule.rule, command), matched: withFile(matched, command, facts) },
        command,
        rule,
      };
    });
}

/** The source text, and the file that contains it. */
function withFile(source: string, { script }: ShellCommand, { workingDirectory }: MachineFacts): string {
  if (script === undefined) return cut(source);
  const path = relative(workingDirectory, script.path);
  return cut(`${path.startsWith('..') ? script.path : path}: ${source}`);
}

/** Commands for another machine or a container use a rule of their own, which asks instead of blocking. */
function ruleName(rule: string, { remote }: ShellCommand): string {
  return remote === undefined ? rule : REMOTE_RULES[remote];
}

function cut(source: string): string {
  return source.length > MATCHED_LENGTH ? `${source.slice(0, MATCHED_LENGTH)}…` : source;
}

/** Removes duplicates: the same command can be reached in two ways, as in `sudo sh -c`. */
function distinct(findings: readonly Finding[]): Finding[] {
  return [
    ...new Map(findings.map((finding) => [`${finding.reason.rule}\n${finding.reason.matched}`, finding])).values(),
  ];
}

/** The strictest verdict, with the reasons of all judgements that share it. */
function strictest(judged: readonly Findings[]): Findings {
  const rank = { allow: 0, ask: 1, block: 2 };
  return judged.reduce((a, b) => {
    if (a.verdict === b.verdict) return { ...a, findings: distinct([...a.findings, ...b.findings]) };
    return rank[b.verdict] > rank[a.verdict] ? b : a;
  });
}

/**
 * The readings of a command line. The shell gets it as it is; a user sees it without escape sequences and invisible
 * characters, and reads look-alike letters as Latin ones.
 */
function readingsOf(command: string): { asGiven: string; asSeen: string[] } {
  const asGiven = command.replaceAll('\0', '');
  if (/^[\t\n\u0020-\u007e]*$/.test(asGiven)) return { asGiven, asSeen: [] };
  const shown = stripAnsi(asGiven)
    .replace(/\r+(?=\n|$)/g, '')
    .replace(INVISIBLE, '');
  const folded = shown.normalize('NFKC').replace(INVISIBLE, '');
  const plain = [...folded].map((letter) => LOOK_ALIKES.get(letter) ?? letter).join('');
  return { asGiven, asSeen: [...new Set([shown, folded, plain])].filter((text) => text !== asGiven) };
}

/** Whether any rule applies to commands of this name. */
function isDangerous(name: string): boolean {
  return writesFiles(name) || hasRuleFor(name);
}
