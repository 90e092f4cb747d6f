import { resolve } from 'node:path';
import { optionValues } from '../shell/shell-command.ts';
import type { RunningCommand } from './find-runs.ts';
import type { ScriptDisk, ScriptFile } from './script-disk.ts';
import { isNewIn, type ScriptRun } from './script-run.ts';

const NAMES = ['GNUmakefile', 'makefile', 'Makefile'];
const MAX_EXPANSIONS = 200;
/** Options of make that take the next word as their value. */
const WITH_VALUE =
  /^(?:-[CfIoW]|--directory|--file|--makefile|--include-dir|--old-file|--what-if|--new-file|--eval|-j|-l)$/;

type Rule = { targets: readonly string[]; prerequisites: readonly string[]; recipe: readonly string[] };
type Makefile = { rules: readonly Rule[]; variables: ReadonlyMap<string, string>; shells: readonly string[] };

/** The recipes of the requested targets and of their prerequisites, and what the makefile runs while it is read. */
export function makeRuns(disk: ScriptDisk, { args, directory, redirects, fedBy }: RunningCommand): ScriptRun[] {
  if (args.some((arg) => /^(?:-[a-zA-Z]*[hv]|--help|--version)$/.test(arg))) return [];
  const folder = optionValues(args, /^(?:-C|--directory=?)(.*)$/).reduce((at, next) => resolve(at, next), directory);
  const given = optionValues(args, /^(?:-f|--file=?|--makefile=?)(.*)$/);
  // With `-f -`, the makefile is on stdin: `make -f - < x.mk`, `cat x.mk | make -f -`.
  const named = given.some((name) => name === '-' || name === '/dev/stdin')
    ? [
        ...redirects.filter(({ operator }) => operator === '<').map(({ target }) => target),
        ...fedBy.filter(({ name }) => name === 'cat').flatMap((source) => source.args),
      ]
    : given;
  const file = (given.length > 0 ? named : NAMES).map((name) => disk.read(resolve(folder, name))).find(Boolean);
  if (file === undefined) return [];
  const words = args.filter((arg, index) => !arg.startsWith('-') && !WITH_VALUE.test(args[index - 1] ?? ''));
  const makefile = parseMakefile(
    file.text,
    words.filter((word) => word.includes('=')),
  );
  const targets = words.filter((word) => !word.includes('='));
  const recipes = isDryRun(args) ? [] : recipesFor(makefile, targets.length > 0 ? targets : firstTarget(makefile));
  return [...makefile.shells.map((script) => ({ raw: script, target: '' })), ...recipes].map(({ raw, target }) =>
    runOf(file, folder, raw, expandMake(raw, makefile.variables, target)),
  );
}

/** The recipes of a makefile that is given as text, for all its targets. */
export function recipesIn(text: string, args: readonly string[]): string[] {
  const makefile = parseMakefile(
    text,
    args.filter((arg) => /^[\w.-]+[:?+]?=/.test(arg)),
  );
  const prefix = /^\.RECIPEPREFIX\s*:?=\s*(\S)/m.exec(text)?.[1];
  const prefixed =
    prefix === undefined
      ? []
      : text
          .split('\n')
          .filter((line) => line.startsWith(prefix))
          .map((line) => line.slice(1));
  const recipes = [...makefile.rules.flatMap(({ recipe }) => recipe), ...prefixed];
  return recipes.map((raw) => expandMake(raw, makefile.variables, '').replace(/^[@+\s-]+/, ''));
}

function isDryRun(args: readonly string[]): boolean {
  return args.some((arg) => /^(?:-[a-zA-Z]*[nq][a-zA-Z]*|--dry-run|--just-print|--question)$/.test(arg));
}

function runOf(file: ScriptFile, directory: string, raw: string, script: string): ScriptRun {
  const isNew = isNewIn(file)(raw);
  return { file, key: `${file.path} ${raw}`, isNew: () => isNew, script: script.replace(/^[@+\s-]+/, ''), directory };
}

function firstTarget({ rules }: Makefile): string[] {
  const first = rules.flatMap(({ targets }) => targets).find((target) => !/^\.|%/.test(target));
  return first === undefined ? [] : [first];
}

/** The recipe lines of the targets and their prerequisites. A target without a rule of its own may match a pattern. */
function recipesFor({ rules, variables }: Makefile, wanted: readonly string[]): { raw: string; target: string }[] {
  const found: { raw: string; target: string }[] = [];
  const seen = new Set<string>();
  const queue = [...wanted];
  for (let target = queue.shift(); target !== undefined; target = queue.shift()) {
    if (seen.has(target) || seen.size > MAX_EXPANSIONS) continue;
    seen.add(target);
    const name = target;
    const matches = (pattern: string) => pattern === name || (pattern.includes('%') && matchesPattern(pattern, name));
    for (const rule of rules.filter(({ targets }) => targets.some(matches))) {
      found.push(...rule.recipe.map((raw) => ({ raw, target: name })));
      queue.push(...rule.prerequisites.filter((one) => !one.includes('%')));
    }
  }
  // The default target of a special name applies to everything.
  return variables.get('.ONESHELL') === undefined
    ? found
    : [{ raw: found.map(({ raw }) => raw).join('\n'), target: wanted[0] ?? '' }];
}

function matchesPattern(pattern: string, target: string): boolean {
  const [before = '', after = ''] = pattern.split('%');
  return target.length >= before.length + after.length && target.startsWith(before) && target.endsWith(after);
}

function parseMakefile(text: string, overrides: readonly string[]): Makefile {
  const variables = new Map<string, string>();
  const rules: { targets: string[]; prerequisites: string[]; recipe: string[] }[] = [];
  let rule: (typeof rules)[number] | undefined;
  for (const line of text.replace(/\\\n[ \t]*/g, ' ').split('\n')) {
    const assigned = /^(?:export\s+|override\s+)?([\w.-]+)\s*(\+|\?|:{0,3}|!)=\s*(.*)$/.exec(line);
    const header = /^([^\t#=][^=#]*?)\s*::?(?!=)\s*([^#]*)/.exec(line);
    if (line.startsWith('\t')) rule?.recipe.push(line.slice(1).trim());
    else if (assigned) {
      const [, name = '', operator = '', value = ''] = assigned;
      if (operator === '+') variables.set(name, `${variables.get(name) ?? ''} ${value}`.trim());
      else if (operator !== '?' || !variables.has(name))
        variables.set(name, operator === '!' ? `$(shell ${value})` : value);
    } else if (header) {
      const [targets = '', prerequisites = ''] = header.slice(1).map((part) => expandMake(part ?? '', variables, ''));
      const [names, inline] = splitOnce(prerequisites, ';');
      rule = { targets: splitWords(targets), prerequisites: splitWords(names.replace('|', ' ')), recipe: [] };
      if (inline !== undefined) rule.recipe.push(inline.trim());
      rules.push(rule);
    } else if (line.trim() !== '' && !/^\s*#/.test(line) && !/^\s/.test(line)) rule = undefined;
  }
  if (/^\.ONESHELL\s*:/m.test(text)) variables.set('.ONESHELL', '');
  for (const override of overrides) {
    const [name, value = ''] = splitOnce(override, '=');
    variables.set(name.replace(/[:?+]$/, ''), value);
  }
  const shells = [...text.matchAll(/\$[({]shell\s+((?:[^()\n]|\([^()\n]*\))*)[)}]|^\w+\s*!=\s*(.+)$/gm)];
  return { rules, variables, shells: shells.map((found) => found[1] ?? found[2] ?? '') };
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)];
}

const splitWords = (text: string) => text.split(/\s+/).filter((word) => word !== '');

/** Replaces the variables of make by their values, and what is unknown by a shell variable of an unknown value. */
function expandMake(text: string, variables: ReadonlyMap<string, string>, target: string): string {
  let expanded = text.replaceAll('$$', '\u0000');
  for (let round = 0; round < 5 && /\$[({@<^*]/.test(expanded); round += 1) {
    expanded = expanded
      .replace(/\$[@*]|\$\([@*][DF]?\)/g, target === '' ? '\u0000{MAKE_TARGET}' : target)
      .replace(/\$[<^?+|]|\$\([<^?+][DF]?\)/g, '\u0000{MAKE_INPUT}')
      .replace(/\$(?:\(([^()$:,\s]+)\)|\{([^{}$:,\s]+)\})/g, (_, round1?: string, brace?: string) =>
        valueOf(round1 ?? brace ?? '', variables),
      )
      // What `$(shell …)` prints is unknown; the command itself is judged separately.
      .replace(/\$[({][a-z-]+\s(?:[^(){}$]|\([^()]*\))*[)}]|\$[({][^(){}$]*[\s:,][^(){}$]*[)}]/g, '\u0000{MAKE_VALUE}')
      .slice(0, 20_000);
  }
  return expanded.replaceAll('\u0000', '$');
}

/** The usual values of variables that make defines itself. */
const BUILT_IN: Readonly<Record<string, string>> = {
  MAKE: 'make',
  RM: 'rm -f',
  CC: 'cc',
  CXX: 'c++',
  CURDIR: '.',
  AR: 'ar',
};

function valueOf(name: string, variables: ReadonlyMap<string, string>): string {
  return (
    variables.get(name) ??
    (Object.hasOwn(BUILT_IN, name) ? (BUILT_IN[name] ?? '') : `\u0000{${name.replace(/\W/g, '_')}}`)
  );
}
