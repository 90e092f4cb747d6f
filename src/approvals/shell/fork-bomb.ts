import type { Function as ShellFunction, SyntaxNode } from 'unbash';

type Walker = Pick<typeof import('unbash'), 'forEachChild'>;

/** The commands that a shell function of the script calls. */
export type ScriptFunction = {
  name: string;
  /** The name of every command in its body. */
  calls: readonly string[];
  /** The command names of each pipeline. */
  pipelines: readonly (readonly string[])[];
  /** The command names that it starts in the background. */
  background: readonly string[];
  source: string;
};

export function readFunction(parser: Walker, node: ShellFunction, script: string): ScriptFunction {
  const pipelines: string[][] = [];
  const background: string[] = [];
  const calls = namesUnder(parser, node.body, (child) => {
    if (child.type === 'Pipeline') pipelines.push(namesUnder(parser, child));
    if (child.type === 'Statement' && child.background === true) background.push(...namesUnder(parser, child));
  });
  return { name: node.name.value, calls, pipelines, background, source: script.slice(node.pos, node.end) };
}

function namesUnder(parser: Walker, node: SyntaxNode, meet?: (child: SyntaxNode) => void): string[] {
  const names: string[] = [];
  const look = (child: SyntaxNode): void => {
    meet?.(child);
    if (child.type === 'Command' && child.name) names.push(child.name.value);
    parser.forEachChild(child, look);
  };
  look(node);
  return names;
}

/**
 * Functions that call themselves, directly or through others, twice in one pipeline, or once in the background and once in the foreground. A single recursive call, as for each folder of a tree, is normal.
 */
export function findForkBombs(functions: readonly ScriptFunction[]): string[] {
  const byName = new Map(functions.map((one) => [one.name, one]));
  return functions
    .filter((one) => {
      const comesBack = (name: string) => name === one.name || reaches(byName.get(name), one.name, byName);
      const twice = one.pipelines.some((names) => names.filter(comesBack).length > 1);
      return twice || (one.background.some(comesBack) && one.calls.filter(comesBack).length > 1);
    })
    .map(({ source }) => source);
}

function reaches(from: ScriptFunction | undefined, name: string, byName: ReadonlyMap<string, ScriptFunction>): boolean {
  const seen = new Set<string>();
  const open = [...(from?.calls ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === name) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(byName.get(next)?.calls ?? []));
  }
  return false;
}

const WAITS = new Set('sleep wait read break exit return inotifywait usleep'.split(' '));
const ENDLESS = new Set(['true', ':']);

/** An endless loop that starts a background process in each iteration and never waits. */
export function isForkLoop(parser: Walker, node: SyntaxNode): boolean {
  if (node.type === 'ArithmeticFor') return node.test === undefined && forksWithoutWaiting(parser, node.body);
  if (node.type !== 'While') return false;
  const condition = namesUnder(parser, node.clause);
  const endless = condition.length === 1 && ENDLESS.has(condition[0] ?? '');
  return endless && node.kind === 'while' && forksWithoutWaiting(parser, node.body);
}

function forksWithoutWaiting(parser: Walker, body: SyntaxNode): boolean {
  let background = false;
  const names = namesUnder(parser, body, (child) => {
    background ||= child.type === 'Statement' && child.background === true;
  });
  return background && !names.some((name) => WAITS.has(name));
}
