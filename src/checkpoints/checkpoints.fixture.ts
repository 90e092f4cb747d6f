import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type CheckpointOptions, createCheckpoints } from './checkpoints.ts';

/** A directory with files, and a separate home directory. */
export type TestDirectory = AsyncDisposable & {
  root: string;
  directory: string;
  home: string;
  options: CheckpointOptions;
  open(changes?: Partial<CheckpointOptions>): ReturnType<typeof createCheckpoints>;
  write(path: string, content: string): void;
  read(path: string): string;
  /** All files below the directory, except those in `.git`. */
  files(): string[];
  git(...args: string[]): string;
};

export function openTestDirectory(files: Record<string, string> = {}): TestDirectory {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-checkpoints-')));
  const [directory, home] = [join(root, 'work'), join(root, 'home')];
  mkdirSync(directory);
  mkdirSync(home);
  const options: CheckpointOptions = {
    folder: join(home, 'checkpoints'),
    home,
    directory,
    excludes: [],
    maxCheckpoints: 20,
    maxFileBytes: 10_000,
    maxTotalBytes: 500_000_000,
  };
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  return {
    root,
    directory,
    home,
    options,
    write,
    open: (changes = {}) => createCheckpoints({ ...options, ...changes }),
    read: (path) => readFileSync(join(directory, path), 'utf8'),
    files: () =>
      readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
        .filter((path) => !/(^|\/)\.git\//.test(path))
        .toSorted(),
    git: (...args) =>
      execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], {
        cwd: directory,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1' },
      }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}
