import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fullDoseOnly } from './support/dose.ts';

const ROOT = join(import.meta.dirname, '..');
const PARTS = join(ROOT, 'test/support/leftovers');

/** The files of a separate test project that uses the same leftover checks. */
const FILES = {
  'vitest.config.mjs': `export default { test: {
    globals: true, isolate: false,
    globalSetup: ['${PARTS}/run-folder.ts', './late.mjs'], setupFiles: ['${PARTS}/file-folder.ts'],
  } };`,
  // Runs after each test file has ended and before the check at the end of the run.
  'late.mjs': `import { existsSync, mkdirSync, readFileSync } from 'node:fs';
    export const teardown = () => existsSync('place') && mkdirSync(readFileSync('place', 'utf8') + '/too/late', { recursive: true });
    export const setup = () => undefined;`,
  'clean.test.mjs': `import { mkdtempSync, rmdirSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    afterAll(() => rmdirSync(globalThis.made));
    it('uses it', () => { globalThis.made = mkdtempSync(tmpdir() + '/mine-'); });`,
  'leaving.test.mjs': `import { execSync } from 'node:child_process';
    it('has a program that leaves something', () => { execSync('mkdir "$TMPDIR/left" && touch "$TMPDIR/left/behind"'); });`,
  'late.test.mjs': `import { writeFileSync } from 'node:fs';
    it('is over before it is written', () => writeFileSync('place', process.env.TMPDIR));`,
};

let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'project-'));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(project, name), text);
});
afterAll(() => rmSync(project, { recursive: true }));

/** Runs the test file with this name and returns the exit code and the output. */
function runTests(name: string) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--config', 'vitest.config.mjs', name],
    {
      cwd: project,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], TMPDIR: tmpdir(), NO_COLOR: '1', HERMES_TEST_LEFTOVER_WAIT_MS: '100' },
    },
  );
  return { status, printed: stdout + stderr };
}

it('passes a test file that removes its files', fullDoseOnly, () => {
  expect(runTests('clean.test.mjs').status).toBe(0);
});

it('fails a test file that leaves files in the temporary folder, and names them', fullDoseOnly, () => {
  const { status, printed } = runTests('leaving.test.mjs');
  expect([status, printed]).toEqual([1, expect.stringMatching(/FAIL +leaving\.test\.mjs/)]);
  expect(printed).toMatch(/left files in the temporary folder.*\n +leaving\.test\.mjs\n +left\/\n +left\/behind/);
});

it('fails a run in which a file is written after the end of its test file, and names it', fullDoseOnly, () => {
  const { status, printed } = runTests('late.test.mjs');
  expect([status, printed]).toEqual([1, expect.stringMatching(/ 1 passed/)]);
  expect(printed).toMatch(/after their test file ended.*\n +late\.test\.mjs\n +too\/\n +too\/late\//);
});

it('removes everything at the end', () => {
  expect(readdirSync(tmpdir())).toEqual([project.slice(tmpdir().length + 1)]);
});
