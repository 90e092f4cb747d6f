import { readdirSync } from 'node:fs';
import type { CommandFiles } from '../../contracts/index.ts';
import { type EarlierTexts, type FileContent, MAX_SCRIPT_BYTES, readBeginning } from './earlier-texts.ts';

const MAX_NAMES = 1000;

/** A text file that a command runs. */
export type ScriptFile = {
  path: string;
  text: string;
  /** Only the beginning was read. */
  isCut: boolean;
  /** The file was changed since the session began. */
  isChanged: boolean;
  /** Its text before the session changed it, if known. */
  before: string | undefined;
  isExecutable: boolean;
};

/** Reads the files that a command would run. */
export interface ScriptDisk {
  /** Undefined if there is no such file, or if it is not a text. */
  read(path: string): ScriptFile | undefined;
  /** The names in a folder; empty if it cannot be listed. */
  list(folder: string): readonly string[];
}

/** Reads the files that commands run, here and in other environments. */
export interface ScriptRecord {
  /** The files of this machine. */
  readonly disk: ScriptDisk;
  /** The files of another environment: those that are already loaded. `load` fetches those that were asked for. */
  remoteDisk(files: CommandFiles): ScriptDisk & { load(): Promise<boolean> };
}

export function createScriptRecord(earlier: EarlierTexts): ScriptRecord {
  const describe = (path: string, content: FileContent): ScriptFile | undefined => {
    const { bytes, size, changedMs, isExecutable } = content;
    if (bytes.subarray(0, 1024).includes(0)) return undefined;
    const text = bytes.toString('utf8');
    const isChanged = earlier.note(path, text, changedMs);
    return { path, text, isCut: size > bytes.length, isChanged, before: earlier.textOf(path), isExecutable };
  };
  const read = (path: string) => {
    const content = readBeginning(path);
    return content === undefined ? undefined : describe(path, content);
  };
  return { disk: { read, list: listFolder }, remoteDisk: (files) => createRemoteDisk(files, describe) };
}

/** The first names are enough to expand a pattern. */
function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder).slice(0, MAX_NAMES);
  } catch {
    return [];
  }
}

/** Rejections mean that there is no such file; the command itself will report it. */
function createRemoteDisk(
  files: CommandFiles,
  describe: (path: string, content: FileContent) => ScriptFile | undefined,
): ScriptDisk & { load(): Promise<boolean> } {
  const loaded = new Map<string, ScriptFile | undefined>();
  const wanted = new Set<string>();
  const fetchFile = async (path: string): Promise<ScriptFile | undefined> => {
    const found = await files.stat(path);
    if (found?.kind !== 'file') return undefined;
    const bytes = Buffer.from(await files.readFile(path, { length: MAX_SCRIPT_BYTES }));
    return describe(path, { bytes, size: found.size, changedMs: found.modifiedMs, isExecutable: true });
  };
  return {
    read(path) {
      if (!loaded.has(path)) wanted.add(path);
      return loaded.get(path);
    },
    // Patterns are not expanded on another machine.
    list: () => [],
    async load() {
      const paths = [...wanted];
      wanted.clear();
      const found = await Promise.all(paths.map((path) => fetchFile(path).catch(() => undefined)));
      for (const [index, path] of paths.entries()) loaded.set(path, found[index]);
      return found.some((file) => file !== undefined);
    },
  };
}
