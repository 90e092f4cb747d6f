import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const PREFIX = `hermes-folder-test-${process.pid}-`;

verifies('BOUND-4', 'a temporary folder of a killed process is removed by the next one', () => {
  const module = JSON.stringify(new URL('./temporary-folder.ts', import.meta.url).href);
  const code = `import { makeTemporaryFolder } from ${module};
console.log(makeTemporaryFolder('${PREFIX}')); process.kill(process.pid, 'SIGKILL');`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
  const abandoned = stdout.trim();
  expect(existsSync(abandoned)).toBe(true);
  const own = [makeTemporaryFolder(PREFIX), makeTemporaryFolder(PREFIX)];
  onTestFinished(() => own.forEach((folder) => rmSync(folder, { recursive: true })));
  expect([abandoned, ...own].map((folder) => existsSync(folder))).toEqual([false, true, true]);
});
