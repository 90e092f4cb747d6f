import { Writable } from 'node:stream';

/** A writable stream that collects its text. */
export type TextSink = Writable & { readonly text: string };

export function createTextSink(): TextSink {
  let text = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return Object.defineProperty(sink, 'text', { get: () => text }) as TextSink;
}
