import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createChance } from '../economy/workspace.ts';

export const TASKS = 12;
const LINES = 220;
const TESTS = 320;

/** The files of a task: a module, the one that calls it, and its test. */
export function filesOf(task: number): readonly [string, string, string] {
  return [`src/part-${task}.ts`, `src/caller-${task}.ts`, `test/part-${task}.test.ts`];
}

/** The line that a task changes in a file, and what it becomes. */
export function editOf(path: string, line: number): { before: string; after: string } {
  return { before: `  // ${path}: step ${line}.`, after: `  // ${path}: step ${line}, with the stored value.` };
}

/** Source files of usual length, and a test command that prints the log of a runner with one failure or none. */
export function fillWorkspace(folder: string): void {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const chance = createChance(11);
  for (let task = 0; task < TASKS; task += 1) {
    for (const path of filesOf(task)) {
      const lines = Array.from({ length: LINES }, (_, line) =>
        line % 10 === 0
          ? editOf(path, line).before
          : `  const value${line} = compute(${chance(999)}, { limit: ${chance(9999)}, name: 'part ${task}' });`,
      );
      put(path, `export function run() {\n${lines.join('\n')}\n}\n`);
    }
    put(`logs/failed-${task}.txt`, logOf(task, true));
    put(`logs/passed-${task}.txt`, logOf(task, false));
  }
  put('run-tests.sh', '#!/bin/sh\ncat "logs/$1.txt"\n');
  chmodSync(join(folder, 'run-tests.sh'), 0o755);
}

function logOf(task: number, fails: boolean): string {
  const chance = createChance(task + (fails ? 100 : 1));
  const lines = Array.from({ length: TESTS }, (_, index) => {
    return ` ✓ test/suite-${index}.test.ts > stores the value of part ${index} (${1 + chance(20)} tests) ${chance(900)}ms`;
  });
  const [, , test] = filesOf(task);
  const failure = [
    ` FAIL  ${test} > stores the value before it is read`,
    'AssertionError: expected undefined to be 42',
    '',
    '- Expected: 42',
    '+ Received: undefined',
    '',
    ` ❯ ${test}:31:21`,
    '     29|   const part = await run();',
    '     30|   // The value is stored first.',
    '     31|   expect(part.value).toBe(42);',
    '       |                     ^',
    '',
  ];
  if (fails) lines.splice(140, 0, ...failure);
  const count = fails ? `1 failed | ${TESTS} passed` : `${TESTS} passed`;
  return `> vitest run\n\n${lines.join('\n')}\n\n Test Files  ${count}\n      Tests  ${count}\n`;
}
