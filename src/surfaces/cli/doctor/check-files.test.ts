import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findExposed, findOpenFolder } from './check-files.ts';

/** Creates `home/logs/agent.log` with the given modes of the two folders and the file. */
function make(home: number, logs: number, file: number): { home: string; logs: string; file: string } {
  const root = mkdtempSync(join(tmpdir(), 'hermes-exposed-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  chmodSync(root, 0o755);
  const paths = { home: join(root, 'home'), logs: join(root, 'home/logs'), file: join(root, 'home/logs/agent.log') };
  mkdirSync(paths.logs, { recursive: true });
  writeFileSync(paths.file, 'x');
  chmodSync(paths.file, file);
  chmodSync(paths.logs, logs);
  chmodSync(paths.home, home);
  return paths;
}

describe('files that other users can access', () => {
  it.each([
    ['a readable file', 0o755, 0o755, 0o644, 'read'],
    ['a file for its group', 0o750, 0o710, 0o640, 'read'],
    ['a file that others can change', 0o755, 0o755, 0o602, 'change'],
    ['a readable file behind a folder that cannot be listed', 0o711, 0o711, 0o604, 'read'],
  ] as const)('%s', (_, home, logs, file, can) => {
    const paths = make(home, logs, file);
    const found = { path: paths.file, mode: file, can };
    expect(findExposed(paths.file)).toEqual(found);
    expect(findExposed(paths.logs)).toEqual(found);
  });

  it.each([
    ['closed files in open folders', 0o755, 0o755, 0o600],
    ['open files in a closed folder', 0o755, 0o700, 0o666],
    ['open files in a closed home', 0o700, 0o777, 0o666],
    ['a file for a group that does not get as far', 0o705, 0o755, 0o640],
    ['a folder that can be listed and not entered', 0o744, 0o755, 0o644],
  ])('does not report %s', (_, home, logs, file) => {
    const paths = make(home, logs, file);
    expect([findExposed(paths.logs), findExposed(paths.file)]).toEqual([undefined, undefined]);
  });

  it('reports a folder that other users can write to', () => {
    const paths = make(0o777, 0o733, 0o600);
    expect(findOpenFolder(paths.home)).toEqual({ path: paths.home, mode: 0o777, can: 'change' });
    expect(findExposed(paths.logs)).toEqual({ path: paths.logs, mode: 0o733, can: 'change' });
    chmodSync(paths.home, 0o1777);
    expect(findOpenFolder(paths.home)).toBeUndefined();
    expect(findExposed(join(paths.home, 'missing'))).toBeUndefined();
  });
});
