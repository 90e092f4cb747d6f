import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { HermesError } from '../base/index.ts';

export type TemporaryHome = AsyncDisposable & {
  /** The home, to be used as HERMES_HOME. */
  readonly path: string;
  /** The folder above it, to be used as HOME. */
  readonly userHome: string;
  /** An empty folder to work in, outside the home. */
  readonly workspace: string;
  /** Writes a file of the home; missing folders are made. */
  write(name: string, content: string): Promise<void>;
  read(name: string): Promise<string>;
  /** Has something done before it is removed, such as ending what still writes into it. */
  beforeRemoval(task: () => Promise<void>): void;
  remove(): Promise<void>;
};

/** A home of its own for a test, with the given files in it (`config.yaml`, `.env`, …). */
export async function createTemporaryHome(files: Record<string, string> = {}): Promise<TemporaryHome> {
  // Resolved, because the temporary folder is a symbolic link on some systems and paths are compared in tests.
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

/** A test that mistypes a name must not write into someone's real files. */
function pathInside(home: string, name: string): string {
  const file = join(home, name);
  const inside = relative(home, file);
  if (inside !== '' && !inside.startsWith('..') && !isAbsolute(inside)) return file;
  throw new HermesError(`"${name}" is not a file inside the temporary home.`, {
    hint: 'Name files relative to the home, such as "config.yaml".',
  });
}
