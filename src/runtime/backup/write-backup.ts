import { createReadStream } from 'node:fs';
import { mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ConfigurationError } from '../../base/index.ts';
import { fileErrorReason } from '../../util/index.ts';
import { backUpDatabase, isDatabaseFile } from '../../store/sqlite/index.ts';
import { chooseFiles, type HomeFile } from './choose-files.ts';
import { MANIFEST_NAME, type BackupManifest } from './manifest.ts';
import { type TarFile, writeTar } from './tar-write.ts';

export type BackupOptions = { home: string; target: string; quick: boolean; version: string; signal?: AbortSignal };
/** `links` lead to folders, or out of the home from below its top: what they lead to is not in it. */
export type BackupReport = { file: string; files: number; bytes: number; links: readonly string[] };

/** Writes a home into one private file, which is there when it is whole. Nothing that is there already is replaced. */
export async function writeBackup(options: BackupOptions): Promise<BackupReport> {
  const target = resolve(options.target);
  const unfinished = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  const chosen = await chooseFiles(options.home, options);
  const files = chosen.files.filter(({ path }) => join(options.home, path) !== target);
  // Beside the archive, where there is room for it; never among the files of the home.
  const copies = await mkdtemp(join(dirname(target), '.hermes-backup-')).catch((thrown: unknown) => {
    throw new ConfigurationError(`${target} cannot be written: ${fileErrorReason(thrown)}.`, {
      hint: 'Choose a folder that is there and that you may write, with -o.',
    });
  });
  try {
    const out = await open(unfinished, 'wx', 0o600);
    await pipeline(writeTar(entries(options, files, copies)), createGzip(), out.createWriteStream(), {
      signal: options.signal,
    });
    await placeNew(unfinished, target);
    return { file: target, files: files.length, bytes: (await stat(target)).size, links: chosen.links };
  } finally {
    await rm(unfinished, { force: true });
    await rm(copies, { recursive: true, force: true });
  }
}

async function* entries(options: BackupOptions, files: readonly HomeFile[], copies: string): AsyncGenerator<TarFile> {
  const manifest: BackupManifest = {
    format: 1,
    version: options.version,
    createdAt: new Date().toISOString(),
    quick: options.quick,
    files: files.map(({ path }) => path),
  };
  yield textFile(MANIFEST_NAME, `${JSON.stringify(manifest, undefined, 2)}\n`);
  for (const [index, { path, isDatabase }] of files.entries()) {
    const file = join(options.home, path);
    // A name says little: what SQLite does not take for its own is a file like any other.
    if (!isDatabase || !(await isDatabaseFile(file))) {
      yield await diskFile(path, file);
      continue;
    }
    const copy = join(copies, `${index}.db`);
    await backUpDatabase(file, copy, { signal: options.signal });
    yield await diskFile(path, copy);
    await rm(copy);
  }
}

async function diskFile(path: string, file: string): Promise<TarFile> {
  // One that was deleted meanwhile is an empty one: the list that went before has its name.
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return textFile(path, '');
  const { size, mode, mtimeMs } = found;
  return { path, size, mode, modifiedAt: mtimeMs, content: createReadStream(file) };
}

function textFile(path: string, text: string): TarFile {
  const bytes = Buffer.from(text);
  async function* content() {
    yield bytes;
  }
  return { path, size: bytes.length, mode: 0o600, modifiedAt: Date.now(), content: content() };
}

async function placeNew(unfinished: string, target: string): Promise<void> {
  if ((await stat(target).catch(() => undefined)) !== undefined) {
    throw new ConfigurationError(`${target} is there already; it was left as it is.`, {
      hint: 'Give another name with -o, or move it aside.',
    });
  }
  await rename(unfinished, target);
}
