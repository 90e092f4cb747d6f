import type { Function as ShellFunction, SyntaxNode } from 'unbash';

/** What a function of the script starts, and whether it starts anything beside itself. */
export type ScriptFunction = { name: string; calls: ReadonlySet<string>; spreads: boolean; source: string };

export function readFunction(
  parser: Pick<typeof import('unbash'), 'forEachChild'>,
  node: ShellFunction,
  script: string,
): ScriptFunction {
  const calls = new Set<string>();
  let spreads = false;
  const look = (child: SyntaxNode): void => {
    spreads ||= child.type === 'Pipeline' || (child.type === 'Statement' && child.background === true);
    if (child.type === 'Command' && child.name) calls.add(child.name.value);
    parser.forEachChild(child, look);
  };
  look(node.body);
  return { name: node.name.value, calls, spreads, source: script.slice(node.pos, node.end) };
}

/** Functions that start themselves beside themselves, over others or not, whatever they are called. */
export function findForkBombs(functions: readonly ScriptFunction[]): string[] {
  const byName = new Map(functions.map((one) => [one.name, one]));
  return functions.filter((one) => one.spreads && reaches(one, one.name, byName)).map(({ source }) => source);
}

function reaches(from: ScriptFunction, name: string, byName: ReadonlyMap<string, ScriptFunction>): boolean {
  const seen = new Set<string>();
  const open = [...from.calls];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === name) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(byName.get(next)?.calls ?? []));
  }
  return false;
}
