import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertAttachable } from '../../../agent/index.ts';
import type { AttachedFile } from '../../../base/index.ts';
import type { CliIo } from '../cli-io.ts';
import { showable } from '../style.ts';

/** Files that go with the next message of a chat. */
export interface WaitingFiles {
  /** `/image` and `/image PATH`: what is to be said, after a file was added, or all were taken out again. */
  command(argument: string): Promise<string>;
  /** Adds files that are there already. */
  add(added: readonly AttachedFile[]): void;
  /** For the start of a chat: nothing where no file was given. */
  describeGiven(): string;
  /** Hands them over with a message; where that came to nothing (undefined, or an error) they wait again. */
  sendWith<Result>(send: (files: readonly AttachedFile[]) => Promise<Result | undefined>): Promise<Result | undefined>;
}

const CLEAR = 'none';
const HOW = '/image PATH attaches an image or a PDF file to the next message';

export function createWaitingFiles(io: CliIo, given: readonly AttachedFile[]): WaitingFiles {
  let files = [...given];
  const describe = () => {
    if (files.length === 0) return `Nothing is attached; ${HOW}.\n`;
    const names = files.map(({ name, bytes }) => `${showable(name)} (${Math.ceil(bytes.byteLength / 1000)} kB)`);
    return `Attached to the next message: ${names.join(', ')}. /image ${CLEAR} takes them out.\n`;
  };
  return {
    describeGiven: () => (given.length === 0 ? '' : describe()),
    add: (added) => void files.push(...added),
    async command(argument) {
      if (argument === CLEAR) files = [];
      else if (argument !== '') {
        // Loaded here, because most chats never attach anything.
        const { readAttachment } = await import('../attachments/read-files.ts');
        const file = await readAttachment(pathIn(argument, io));
        assertAttachable([...files, file]);
        files.push(file);
      }
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

/** A path as it is typed, pasted, or dropped on a terminal: in quotes, with escapes, as an address, from the home. */
export function pathIn(typed: string, { workingDirectory, env }: Pick<CliIo, 'workingDirectory' | 'env'>): string {
  const quoted = /^(['"])(.*)\1$/.exec(typed)?.[2];
  if (quoted === undefined && typed.startsWith('file:///')) return fileURLToPath(typed);
  const plain = quoted ?? (process.platform === 'win32' ? typed : typed.replace(/\\(.)/g, '$1'));
  const path = plain.replace(/^~(?=\/|$)/, () => env['HOME'] ?? homedir());
  return resolve(workingDirectory, path);
}
