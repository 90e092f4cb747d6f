import { posix } from 'node:path';
import { quoteWord } from '../../util/index.ts';
import { remoteScript } from '../shell-script.ts';

/** Longer ones are sent as a file: the login shell gets everything as one argument, and the kernel takes 128 KiB. */
const MAX_ARGUMENT_BYTES = 60_000;

/** How one shell of the other side is to be started. */
export type RemoteShell = {
  directory: string;
  script: string;
  /** The file in which it tells where it was in the end. */
  report: string;
  /** Whether its variables come from a file, the previous directory, and files that can go. */
  rest: readonly string[];
  /** Takes over what it left behind, unless it is not to count. Says where it was in the end. */
  finish(counts: boolean, directories: readonly string[] | undefined): string;
};

export type RemoteShells = ReturnType<typeof createRemoteShells>;

/** What is carried from one shell of the other side to the next: it lies there, and only its number is known here. */
export function createRemoteShells({
  shell,
  folder,
  ...options
}: {
  shell: string;
  folder: string;
  directory: string;
}) {
  const bash = shell.endsWith('bash');
  let directory = options.directory;
  let previous = '';
  let source: string | undefined;
  let count = 0;
  let outdated: string[] = [];

  return {
    directory: () => directory,
    begin(command: string, wanted: string | undefined, keep = true): RemoteShell {
      const start = wanted === undefined ? directory : posix.resolve(directory, wanted);
      const target = keep ? `${folder}/${++count}` : undefined;
      const report = target === undefined ? '' : `${target}.d`;
      const rest = [source === undefined ? '' : '1', previous, ...outdated];
      outdated = [];
      return {
        directory: start,
        script: remoteScript({ bash, source, target }, command),
        report,
        rest,
        finish(counts, directories) {
          if (target === undefined || !counts || directories === undefined) {
            if (target !== undefined) outdated.push(target, report);
            return directories?.[0] ?? start;
          }
          outdated.push(report, ...(source === undefined ? [] : [source]));
          source = target;
          const [after = start, before = ''] = directories;
          if (wanted === undefined) [directory, previous] = [after, before];
          return after;
        },
      };
    },
    /** A carried directory that was removed is not gone back to. */
    missing(path: string): Error {
      if (path === directory) directory = options.directory;
      return Object.assign(new Error(`ENOENT: no such directory: ${path}`), { code: 'ENOENT' });
    },
    async asArgument(command: string, write: (path: string, content: string) => Promise<void>): Promise<string> {
      if (Buffer.byteLength(command) <= MAX_ARGUMENT_BYTES) return command;
      const file = `${folder}/${++count}`;
      await write(file, command);
      return `eval "$(cat ${quoteWord(file)}; rm -f ${quoteWord(file)})"`;
    },
  };
}
