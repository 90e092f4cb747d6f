import { extname } from 'node:path';
import { errorMessage } from '../../base/index.ts';
import type { Environment, FilePart, Logger } from '../../contracts/index.ts';
import { isInside } from '../../util/index.ts';

/** The files of the editor. Absent methods are those that it does not offer. */
export type EditorFiles = {
  /** The text of a file, including changes that are not saved. */
  read?: ((path: string) => Promise<string>) | undefined;
  write?: ((path: string, text: string) => Promise<void>) | undefined;
};

/** Larger files are read from the disk, because the editor sends them as one message. */
const MAX_EDITED_SIZE = 2_000_000;
/** Files that an editor does not open as text. */
const BINARY = new Set(
  '.png .jpg .jpeg .gif .webp .ico .pdf .zip .gz .tar .docx .xlsx .pptx .ipynb .sqlite .db .wasm .so'.split(' '),
);

/**
 * Reads and writes text files of the project through the editor: unsaved text is read, and the editor knows of every
 * change. Only for environments whose files are those of this machine. What the editor cannot read or write, such as
 * files outside the project, is accessed directly.
 */
export function withEditorFiles(
  environment: Environment,
  { read, write }: EditorFiles,
  { folders, logger }: { folders: readonly string[]; logger: Logger },
): Environment {
  if (environment.localFiles === undefined || environment.isolated) return environment;

  /** The absolute path, if the editor can have the file open. */
  async function editable(path: string): Promise<string | undefined> {
    const resolved = await environment.resolvePath(path);
    const isText = !BINARY.has(extname(resolved).toLowerCase());
    if (!isText) return undefined;
    const roots = await Promise.all(folders.map((folder) => environment.resolvePath(folder)));
    return roots.some((root) => isInside(root, resolved)) ? resolved : undefined;
  }

  async function readFile(path: string, part?: FilePart): Promise<Uint8Array> {
    const file = read && (await editable(path));
    const stat = file === undefined ? undefined : await environment.stat(path);
    if (file === undefined || stat?.kind !== 'file' || stat.size > MAX_EDITED_SIZE)
      return environment.readFile(path, part);
    try {
      const text = (await read?.(file)) ?? '';
      // The editor has replaced bytes that are not text; an edit of such a file would destroy it.
      if (text.includes('\uFFFD')) return await environment.readFile(path, part);
      const bytes = Buffer.from(text, 'utf8');
      const { offset = 0, length = bytes.length } = part ?? {};
      return bytes.subarray(offset, offset + length);
    } catch (thrown) {
      logger.info('the editor could not read a file', { path: file, reason: errorMessage(thrown) });
      return environment.readFile(path, part);
    }
  }

  async function writeFile(path: string, content: Uint8Array | string): Promise<void> {
    const file = write && typeof content === 'string' ? await editable(path) : undefined;
    if (file === undefined || typeof content !== 'string') return environment.writeFile(path, content);
    try {
      await write?.(file, content);
    } catch (thrown) {
      logger.info('the editor could not write a file', { path: file, reason: errorMessage(thrown) });
      await environment.writeFile(path, content);
    }
  }

  // Inherits everything else: some properties are getters, so they must not be copied.
  return Object.create(environment, {
    readFile: { value: readFile },
    writeFile: { value: writeFile },
    saved: { value: { readFile: environment.readFile.bind(environment) } },
  }) as Environment;
}
