import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertAttachable } from '../../../agent/index.ts';
import type { AttachedFile } from '../../../base/index.ts';
import type { CliIo } from '../cli-io.ts';
import { detectFileType } from '../../../util/index.ts';
import { printable } from '../style.ts';

/** Files that will be attached to the next message of a chat. */
export interface PendingAttachments {
  /** Runs `/image` with its argument: attaches a file, or removes all. Returns the text to print. */
  runImageCommand(argument: string): Promise<string>;
  /** Attaches the image in the clipboard. Returns the text to print; undefined if there is none. */
  pasteImage(): Promise<string | undefined>;
  /** Adds files that have already been read. */
  add(added: readonly AttachedFile[]): void;
  /** Describes the files given at the start of the chat; empty if there were none. */
  describeInitial(): string;
  /** Sends the files with a message. If sending fails (undefined or an error), they stay attached. */
  sendWith<Result>(send: (files: readonly AttachedFile[]) => Promise<Result | undefined>): Promise<Result | undefined>;
}

const CLEAR = 'none';
const USAGE = 'Use /image PATH to attach an image or a PDF file to the next message';

export function createPendingAttachments(io: CliIo, given: readonly AttachedFile[]): PendingAttachments {
  let files = [...given];
  const describe = () => {
    if (files.length === 0) return `No files are attached. ${USAGE}.\n`;
    const names = files.map(({ name, bytes }) => `${printable(name)} (${Math.ceil(bytes.byteLength / 1000)} kB)`);
    return `Attached to the next message: ${names.join(', ')}. Use /image ${CLEAR} to remove them.\n`;
  };
  return {
    describeInitial: () => (given.length === 0 ? '' : describe()),
    add: (added) => void files.push(...added),
    async runImageCommand(argument) {
      if (argument === CLEAR) files = [];
      else if (argument !== '') {
        // Loaded on demand, because most chats never attach anything.
        const { readAttachment } = await import('../attachments/read-files.ts');
        const file = await readAttachment(resolveTypedPath(argument, io));
        assertAttachable([...files, file]);
        files.push(file);
      }
      return describe();
    },
    async pasteImage() {
      const { readClipboardImage } = await import('./clipboard.ts');
      const bytes = await readClipboardImage(io.env);
      const type = bytes && detectFileType(bytes);
      if (bytes === undefined || type?.kind !== 'image') return undefined;
      const file: AttachedFile = { ...type, name: `clipboard.${type.mediaType.split('/').at(-1)}`, bytes };
      assertAttachable([...files, file]);
      files.push(file);
      return describe();
    },
    async sendWith(send) {
      const sent = files.splice(0);
      let result;
      try {
        result = await send(sent);
        return result;
      } finally {
        if (result === undefined) files.unshift(...sent);
      }
    },
  };
}

/** Resolves a path that was typed, pasted or dropped: it may be quoted, escaped, a `file://` URL, or start with `~`. */
export function resolveTypedPath(
  typed: string,
  { workingDirectory, env }: Pick<CliIo, 'workingDirectory' | 'env'>,
): string {
  const quoted = /^(['"])(.*)\1$/.exec(typed)?.[2];
  if (quoted === undefined && typed.startsWith('file:///')) return fileURLToPath(typed);
  const plain = quoted ?? typed.replace(/\\(.)/g, '$1');
  const path = plain.replace(/^~(?=\/|$)/, () => env['HOME'] ?? homedir());
  return resolve(workingDirectory, path);
}
