import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { ensurePrivateFolder, takeStart, writeFileAtomic } from '../../../util/index.ts';

export type MediaKind = 'image' | 'audio' | 'video' | 'document';

/** The folders of the original below the home directory: the older name if it exists, and the usual one. */
const FOLDERS: Readonly<Record<MediaKind, readonly [older: string, usual: string]>> = {
  image: ['image_cache', 'cache/images'],
  audio: ['audio_cache', 'cache/audio'],
  video: ['video_cache', 'cache/videos'],
  document: ['document_cache', 'cache/documents'],
};
const PREFIXES: Readonly<Record<MediaKind, string>> = { image: 'img', audio: 'audio', video: 'video', document: 'doc' };
const KINDS = Object.keys(FOLDERS) as MediaKind[];

/** The files that chats sent. Each chat has its own folders, so that nobody can read the files of others. */
export interface MediaCache {
  /** The folders of a chat, one for each kind. They may be missing. */
  foldersOf(chatKey: string): string[];
  /** A file that was saved before; undefined if there is none. */
  find(chatKey: string, id: string): Promise<SavedFile | undefined>;
  /** Saves a file under a name that depends on its id and its cleaned name only, and returns its path. */
  save(chatKey: string, file: NewFile): Promise<string>;
  /** Deletes files that are older than a day, and the oldest ones if there is too much. */
  prune(now: number): Promise<void>;
}

/** `id` identifies the file on its platform. */
export type NewFile = { id: string; kind: MediaKind; name: string; bytes: Uint8Array };
export type SavedFile = { path: string; bytes: Uint8Array };

const MAX_AGE_MS = 24 * 3_600_000;
const MAX_BYTES = 1024 * 1024 * 1024;

export function createMediaCache(home: string, limits: { maxBytes?: number } = {}): MediaCache {
  const folderOf = (kind: MediaKind) => {
    const [older, usual] = FOLDERS[kind];
    return join(home, existsSync(join(home, older)) ? older : usual);
  };
  const ofChat = (kind: MediaKind, chatKey: string) => join(folderOf(kind), shortHash(chatKey));
  return {
    foldersOf: (chatKey) => KINDS.map((kind) => ofChat(kind, chatKey)),
    async find(chatKey, id) {
      for (const kind of KINDS) {
        const names = await readdir(ofChat(kind, chatKey)).catch(() => []);
        const name = names.find((each) => each.startsWith(prefixOf(kind, id)) && !each.endsWith(TRANSCRIPT));
        if (name === undefined) continue;
        const path = join(ofChat(kind, chatKey), name);
        const bytes = await readFile(path).catch(() => undefined);
        if (bytes !== undefined) return { path, bytes };
      }
      return undefined;
    },
    async save(chatKey, { id, kind, name, bytes }) {
      const folder = ofChat(kind, chatKey);
      await ensurePrivateFolder(folder);
      const path = join(folder, `${prefixOf(kind, id)}${cleanFileName(name)}`);
      await writeFileAtomic(path, bytes, { mode: 0o600 });
      return path;
    },
    prune: (now) => prune(KINDS.map(folderOf), now, limits.maxBytes ?? MAX_BYTES),
  };
}

/** The ending of a file with the transcript of an audio file, which is not transcribed twice. */
export const TRANSCRIPT = '.transcript.txt';

function prefixOf(kind: MediaKind, id: string): string {
  return `${PREFIXES[kind]}_${shortHash(id)}_`;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

const MAX_NAME = 80;
const MAX_EXTENSION = 12;

/** A file name without a path, control characters and characters with a meaning in a shell or on another system. */
export function cleanFileName(name: string): string {
  const base = basename(name.toWellFormed().normalize('NFC').replaceAll('\\', '/'));
  const plain = base
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\s"'`<>:|?*$&;!(){}[\]#~^%]+/gu, '_')
    .replace(/^[._-]+/, '')
    .replace(/[._]+$/, '');
  const extension = extname(plain).slice(0, MAX_EXTENSION);
  const stem = extension === '' ? plain : plain.slice(0, -extname(plain).length);
  return `${takeBytes(stem, MAX_NAME) || 'file'}${takeBytes(extension, MAX_EXTENSION)}`;
}

/** File systems limit names in bytes. */
function takeBytes(text: string, limit: number): string {
  let taken = takeStart(text, limit);
  while (Buffer.byteLength(taken) > limit) taken = takeStart(taken, taken.length - 1);
  return taken;
}

type Found = { path: string; size: number; modified: number };

async function prune(folders: readonly string[], now: number, maxBytes: number): Promise<void> {
  const files: Found[] = [];
  for (const folder of folders) await collect(folder, files);
  files.sort((a, b) => b.modified - a.modified);
  let kept = 0;
  for (const { path, size, modified } of files) {
    kept += size;
    if (now - modified > MAX_AGE_MS || kept > maxBytes) await rm(path, { force: true }).catch(() => undefined);
  }
  for (const folder of folders) await removeEmptyFolders(folder);
}

/** Links are neither followed nor removed: Hermes did not create them. */
async function collect(folder: string, files: Found[]): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await collect(path, files);
    else if (entry.isFile()) {
      const stat = await lstat(path).catch(() => undefined);
      if (stat !== undefined) files.push({ path, size: stat.size, modified: stat.mtimeMs });
    }
  }
}

async function removeEmptyFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => []))
    if (entry.isDirectory()) await rmdir(join(folder, entry.name)).catch(() => undefined);
}
