import { type Argument, type CallExpression, Visitor } from 'oxc-parser';
import { lineAt, parse, type SourceFile } from '../shape/source-file.ts';
import type { Rule } from './rules.ts';

/** A rule that a test claims to verify. */
export type Claim = { rule: string; path: string; line: number };

export type Claims = { claims: Claim[]; problems: string[] };

/** Finds the `verifies(…)` calls of a test file in its syntax tree, so that comments and strings do not count. */
export function findClaims(source: SourceFile): Claims {
  const claims: Claim[] = [];
  const problems: string[] = [];
  const locate = (offset: number) => ({ path: source.path, line: lineAt(source.text, offset) });
  let skipped = 0;
  new Visitor({
    CallExpression(call) {
      if (isSkip(call)) skipped++;
      if (call.callee.type !== 'Identifier' || call.callee.name !== 'verifies') return;
      const { path, line } = locate(call.start);
      const rules = ruleNames(call.arguments[0]);
      if (!rules) problems.push(`${path}:${line} verifies(…) must name its rules as string literals`);
      else if (skipped > 0) problems.push(`${path}:${line} verifies(…) in a skipped group verifies nothing`);
      else claims.push(...rules.map((rule) => ({ rule, path, line })));
    },
    'CallExpression:exit'(call) {
      if (isSkip(call)) skipped--;
    },
  }).visit(parse(source).program);
  return { claims, problems };
}

/** `describe.skip(…)` and `describe.todo(…)`. */
function isSkip({ callee }: CallExpression): boolean {
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return false;
  return ['skip', 'todo'].includes(callee.property.name);
}

/** The ids in `'LOOP-1'` or `['LOOP-1', 'LOOP-2']`; undefined if they are not literals. */
function ruleNames(argument: Argument | undefined): string[] | undefined {
  if (argument?.type === 'Literal' && typeof argument.value === 'string') return [argument.value];
  if (argument?.type !== 'ArrayExpression' || argument.elements.length === 0) return undefined;
  const names = argument.elements.map((element) =>
    element?.type === 'Literal' && typeof element.value === 'string' ? element.value : undefined,
  );
  return names.every((name) => name !== undefined) ? names : undefined;
}

/** Mismatches between rules and tests; empty if every `done` rule is verified. */
export function checkCoverage(rules: Readonly<Record<string, Rule>>, files: readonly SourceFile[]): string[] {
  // Parsing takes nearly all of the time, so files without the word are skipped.
  const found = files.filter(({ text }) => text.includes('verifies')).map(findClaims);
  const claims = found.flatMap((file) => file.claims);
  const proven = new Set(claims.map(({ rule }) => rule));
  const problems = found.flatMap((file) => file.problems);
  for (const { rule, path, line } of claims) {
    if (!Object.hasOwn(rules, rule)) problems.push(`${path}:${line} names the unknown rule ${rule}`);
  }
  for (const [id, { behaviour, state, note }] of Object.entries(rules)) {
    if (behaviour.trim() === '') problems.push(`${id} has no description`);
    if (state === 'partial' && !note?.includes('missing: '))
      problems.push(`${id} is partial, but no note says what is missing`);
    if (state === 'done' && !proven.has(id)) problems.push(`${id} is marked done, but no test verifies it`);
  }
  return problems;
}
