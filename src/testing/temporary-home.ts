import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { HermesError } from '../base/index.ts';

export type TemporaryHome = AsyncDisposable & {
  /** The home directory, for HERMES_HOME. */
  readonly path: string;
  /** The parent of the home directory, used as HOME. */
  readonly userHome: string;
  /** An empty working directory outside the home directory. */
  readonly workspace: string;
  /** Writes a file in the home directory and creates missing folders. */
  write(name: string, content: string): Promise<void>;
  read(name: string): Promise<string>;
  /** Registers a task that runs before the home is removed, such as ending a process that still writes to the home. */
  beforeRemoval(task: () => Promise<void>): void;
  remove(): Promise<void>;
};

/** A separate home directory for a test, with the given files (`config.yaml`, `.env`, …). */
export async function createTemporaryHome(files: Record<string, string> = {}): Promise<TemporaryHome> {
  // The real path, because the temporary folder is a symbolic link on some systems and tests compare paths.
  const userHome = await realpath(await mkdtemp(join(tmpdir(), 'hermes-test-')));
  const path = join(userHome, '.hermes');
  const workspace = join(userHome, 'workspace');
  const write = async (name: string, content: string) => {
    const file = pathInside(path, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content, { mode: 0o600 });
  };
  const tasks: (() => Promise<void>)[] = [];
  const remove = async () => {
    await Promise.all(tasks.map((task) => task()));
    await rm(userHome, { recursive: true, force: true, maxRetries: 5 });
  };
  await mkdir(path, { mode: 0o700 });
  await mkdir(workspace);
  for (const [name, content] of Object.entries(files)) await write(name, content);
  return {
    path,
    userHome,
    workspace,
    write,
    read: (name) => readFile(pathInside(path, name), 'utf8'),
    beforeRemoval: (task) => void tasks.push(task),
    remove,
    [Symbol.asyncDispose]: remove,
  };
}

/** A typo in a test must not overwrite real files. */
function pathInside(home: string, name: string): string {
  const file = join(home, name);
  const inside = relative(home, file);
  if (inside !== '' && !inside.startsWith('..') && !isAbsolute(inside)) return file;
  throw new HermesError(`"${name}" is not a file inside the temporary home.`, {
    hint: 'Give file names relative to the home, such as "config.yaml".',
  });
}
