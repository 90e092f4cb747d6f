import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, expect, inject } from 'vitest';
import { awaitLeftovers, describeLeftovers, openShellFolders } from './look-for-leftovers.ts';
import { NAME_ENDING } from './name-ending.ts';

// Runs before each test file: gives it, and all that it starts, a temporary folder of its own.
const testFile = relative(process.cwd(), expect.getState().testPath ?? '');
const folder = mkdtempSync(`${inject('runFolder')}/`);
writeFileSync(folder + NAME_ENDING, testFile);
// As open as the machine's own.
chmodSync(folder, 0o1777);
process.env['TMPDIR'] = folder;
// The programs of all tests share what is compiled: each has a new home, and nearly half of a first start is compiling.
process.env['NODE_COMPILE_CACHE'] = join(inject('runFolder'), 'compiled');
// Programs that tests start are compiled by the first test that needs them.
process.env['HERMES_TEST_PROGRAMS'] = join(inject('runFolder'), 'programs');
// The first test that starts PostgreSQL makes a cluster there, of which all others get a copy.
process.env['HERMES_TEST_POSTGRES'] = join(inject('runFolder'), 'postgres');

// Registered before those of the file, so that it comes after all of them.
afterAll(async () => {
  const left = await awaitLeftovers(folder);
  const shells = openShellFolders();
  if (left.length + shells.length === 0) return;
  for (const path of [...left.map((name) => join(folder, name)), ...shells]) {
    rmSync(path, { recursive: true, force: true });
  }
  throw new Error(
    `Tests left files in the temporary folder. Whoever makes them has to remove them:\n${describeLeftovers(testFile, [...left, ...shells])}`,
  );
});
