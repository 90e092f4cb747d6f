import { randomBytes } from 'node:crypto';
import type { Sandbox } from '@daytonaio/sdk';
import { quoteWord } from '../../util/index.ts';
import type { CloudContainer } from './cloud-service.ts';
import { createCloudTerminal } from './cloud-terminal.ts';
import { COLLECT_SCRIPT, createLineReader } from './daytona-scripts.ts';
import { beginSession } from './daytona-session.ts';

/** How long a script that ends soon may take; the service ends it then. */
const RUN_SECONDS = 600;

const line = (words: readonly string[]) => words.map(quoteWord).join(' ');
const newName = () => `hermes-${randomBytes(8).toString('hex')}`;

/** A container of Daytona, which runs commands in sessions, and terminals. */
export function createDaytonaContainer(sandbox: Sandbox): CloudContainer & { letGo(): void } {
  const stops = new Set<() => void>();

  /** Small programs differ in what they take for a quote, so the text goes as letters and digits. */
  async function collect(words: readonly string[], file: string) {
    const text = Buffer.from(line(['/bin/sh', '-c', COLLECT_SCRIPT, 'sh', file, ...words])).toString('base64');
    const command = `sh -c 'echo ${text} | base64 -d | sh'`;
    const { result } = await sandbox.process.executeCommand(command, undefined, undefined, RUN_SECONDS);
    const found: { code?: number; output: Buffer; errors: string } = { output: Buffer.alloc(0), errors: '' };
    const read = createLineReader({
      output: (bytes) => (found.output = bytes),
      errors: (bytes) => (found.errors = bytes.toString()),
      code: (code) => (found.code = code),
      ended: () => undefined,
    });
    read(`${result}\n`);
    if (found.code === undefined) throw new Error(`no answer of the container: ${result.slice(0, 200)}`);
    return { ...found, code: found.code };
  }

  return {
    begin: (words, input) => beginSession({ sandbox, words, input, name: newName(), stops }),
    async beginTerminal(words, { columns, rows }) {
      // Typed into the shell of the terminal, long lines would be cut.
      const file = `/tmp/${newName()}`;
      await sandbox.fs.uploadFile(Buffer.from(`rm -f "$0"\nexec ${line(words)}\n`), file);
      const { promise: ended, resolve } = Promise.withResolvers<number | undefined>();
      const stop = () => void handle.disconnect();
      const { terminal, push } = createCloudTerminal({ write: (bytes) => handle.sendInput(bytes), ended, stop });
      const handle = await sandbox.process.createPty({ id: newName(), cols: columns, rows, onData: push });
      stops.add(stop);
      void handle
        .wait()
        .then(
          ({ exitCode }) => resolve(exitCode),
          () => resolve(undefined),
        )
        .finally(() => stops.delete(stop));
      await handle.sendInput(`exec /bin/sh ${file}\n`);
      return terminal;
    },
    async run(words, input) {
      if (input === undefined) return collect(words, '/dev/null');
      const file = `/tmp/${newName()}`;
      await sandbox.fs.uploadFile(Buffer.from(input), file);
      return collect(words, file);
    },
    letGo() {
      for (const stop of stops) stop();
    },
  };
}
