import { Writable } from 'node:stream';
import type { CliIo } from '../cli-io.ts';

/** Keeps stdout for the messages of a protocol. What plugins and packages print there goes to stderr. */
export function reserveOutput({ stdout, stderr }: CliIo): { output: Writable; release(): void } {
  const original = stdout.write;
  const write = original.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return {
    output: new Writable({
      write(bytes: Buffer, _encoding, done) {
        write(bytes, (error) => done(error));
      },
    }),
    release() {
      stdout.write = original;
    },
  };
}
