import { createServer, type Http2Server, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { collect } from './cloud-processes.fixture.ts';

/** A message by field number; values are numbers or bytes. */
export type Fields = Map<number, (number | Buffer)[]>;
export type FieldValue = string | number | boolean | Uint8Array;

/** The response to a call: one message, several, or a thrown status. */
export type GrpcHandler = (request: Fields, call: GrpcCall) => Promise<Buffer> | AsyncIterable<Buffer> | Buffer;
export type GrpcCall = { headers: Record<string, string | string[] | undefined>; closed: AbortSignal };

export class GrpcStatus extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const STATUS = { deadline: 4, notFound: 5, exists: 6, exhausted: 8, unavailable: 14, unauthenticated: 16 };

/** A gRPC server without message definitions: fields are identified by their numbers. */
export async function startGrpcServer(handlers: Record<string, GrpcHandler>) {
  const server: Http2Server = createServer();
  const sessions = new Set<Http2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => undefined);
    void answer(stream, headers, handlers);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(stream: ServerHttp2Stream, headers: GrpcCall['headers'], handlers: Record<string, GrpcHandler>) {
  const body = await collect(stream);
  const closed = new AbortController();
  const over = new Promise<void>((resolve) => closed.signal.addEventListener('abort', () => resolve()));
  stream.once('close', () => closed.abort());
  const name = String(headers[':path']).split('/').at(-1) ?? '';
  const type = { ':status': 200, 'content-type': 'application/grpc' };
  try {
    const handler = handlers[name];
    if (handler === undefined) throw new GrpcStatus(12, `${name} is not known here`);
    const result = handler(decode(body.subarray(5)), { headers, closed: closed.signal });
    const messages = Symbol.asyncIterator in result ? result : [await result];
    stream.respond(type, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    for await (const message of messages) {
      if (closed.signal.aborted) return;
      if (!stream.write(framed(message))) await Promise.race([untilDrained(stream), over]);
    }
    stream.end();
  } catch (thrown) {
    const status = thrown instanceof GrpcStatus ? thrown : new GrpcStatus(13, String(thrown));
    if (stream.headersSent || stream.destroyed) return void stream.destroy();
    const words = { 'grpc-status': String(status.code), 'grpc-message': encodeURIComponent(status.message) };
    stream.respond({ ...type, ...words }, { endStream: true });
  }
}

const untilDrained = (stream: ServerHttp2Stream) =>
  new Promise<void>((resolve) => stream.once('drain', () => resolve()));

function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Encodes a message from field numbers and values. */
export function encode(...fields: [number, FieldValue][]): Buffer {
  return Buffer.concat(
    fields.map(([field, value]) => {
      if (typeof value === 'number' || typeof value === 'boolean') {
        return Buffer.concat([varint(field * 8), varint(Number(value))]);
      }
      const bytes = Buffer.from(value as string);
      return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
    }),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

export function decode(bytes: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const read = () => {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = bytes[at++] ?? 0;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  };
  while (at < bytes.length) {
    const key = read();
    const [field, kind] = [Math.floor(key / 8), key % 8];
    const length = kind === 2 ? read() : kind === 5 ? 4 : kind === 1 ? 8 : 0;
    const value = kind === 0 ? read() : bytes.subarray(at, at + length);
    at += length;
    fields.set(field, [...(fields.get(field) ?? []), value]);
  }
  return fields;
}

export const textIn = (fields: Fields, field: number) => String(fields.get(field)?.[0] ?? '');
export const numberIn = (fields: Fields, field: number) => Number(fields.get(field)?.[0] ?? 0);
export const messageIn = (fields: Fields, field: number) =>
  decode(Buffer.from((fields.get(field)?.[0] ?? '') as Buffer));
