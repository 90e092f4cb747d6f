import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join, relative } from 'node:path';
import { afterAll, expect, inject } from 'vitest';
import { awaitLeftovers, describeLeftovers, openShellFolders } from './find-leftovers.ts';
import { NAME_SUFFIX } from './name-suffix.ts';

// Runs before each test file and gives it a separate temporary folder, which its child processes inherit.
const testFile = relative(process.cwd(), expect.getState().testPath ?? '');
const folder = mkdtempSync(`${inject('runFolder')}/`);
writeFileSync(folder + NAME_SUFFIX, testFile);
// The same permissions as /tmp.
chmodSync(folder, 0o1777);
process.env['TMPDIR'] = folder;
// All test programs share a compile cache: each has a new home, and nearly half of a first start is compiling.
process.env['NODE_COMPILE_CACHE'] = join(inject('runFolder'), 'compiled');
// All workers load the same modules: what one has stripped of types and compiled is there for the others after each file.
enableCompileCache(join(inject('runFolder'), 'workers'));
afterAll(() => flushCompileCache());
// The first test that needs a test program compiles it.
process.env['HERMES_TEST_PROGRAMS'] = join(inject('runFolder'), 'programs');
// The first test that starts PostgreSQL creates a cluster there; all others copy it.
process.env['HERMES_TEST_POSTGRES'] = join(inject('runFolder'), 'postgres');

// Registered before the hooks of the file, so that it runs after all of them.
afterAll(async () => {
  const left = await awaitLeftovers(folder);
  const shells = openShellFolders();
  if (left.length + shells.length === 0) return;
  for (const path of [...left.map((name) => join(folder, name)), ...shells]) {
    rmSync(path, { recursive: true, force: true });
  }
  throw new Error(
    `Tests left files in the temporary folder. Remove them in the test:\n${describeLeftovers(testFile, [...left, ...shells])}`,
  );
});
