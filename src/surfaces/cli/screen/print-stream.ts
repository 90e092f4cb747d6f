import { Writable } from 'node:stream';
import type { OutputStream } from '../cli-io.ts';
import type { Device } from './device.ts';

/** A sequence that is for the terminal itself, such as what it is to put on the clipboard. */
// oxlint-disable-next-line no-control-regex
const FOR_TERMINAL = /^\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)$/;

/** Standard output for what is written while the screen is open: it goes above the live part. */
export function createPrintStream(device: Device, print: (text: string) => void): OutputStream {
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      const text = String(chunk);
      if (FOR_TERMINAL.test(text)) device.write(text);
      else print(text);
      done();
    },
  });
  return Object.defineProperties(stream, {
    isTTY: { value: true },
    columns: { get: () => device.columns },
    rows: { get: () => device.rows },
  });
}
