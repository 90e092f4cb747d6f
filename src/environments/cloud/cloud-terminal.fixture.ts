import { randomBytes } from 'node:crypto';
import { PassThrough, Writable } from 'node:stream';
import { type CloudProcess, containerEnv, keep } from './cloud-processes.fixture.ts';
import { openLinuxTerminal } from '../linux-terminal.ts';

export type FakeTerminal = CloudProcess & { resize(columns: number, rows: number): void };

/** A command in a terminal of a container, with 80 columns by default. */
export function openFakeTerminal(
  words: readonly string[],
  home: string,
  size = { columns: 80, rows: 24 },
): FakeTerminal {
  const [file = '', ...args] = words;
  const output = new PassThrough();
  const { pid, write, ended, resize } = openLinuxTerminal({
    file,
    args,
    size,
    directory: home,
    mark: randomBytes(8).toString('hex'),
    env: { ...containerEnv(home), TERM: 'xterm-256color' },
    onOutput: (text) => void output.write(text),
  });
  const read = keep(output);
  const stdin = new Writable({
    write(chunk: Buffer, _, done) {
      write(chunk);
      done();
    },
  });
  const code = ended.then(({ exitCode, signal }) => {
    output.end();
    return signal === 0 ? exitCode : 128 + signal;
  });
  const nothing = keep(new PassThrough().end().resume());
  return {
    child: { pid, stdin },
    ended: code,
    resize,
    read: (stream, offset, stop) => (stream === 'stdout' ? read : nothing)(offset, stop),
  };
}
