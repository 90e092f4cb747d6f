import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const MAGIC = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const [TEXT, BINARY, CLOSE] = [1, 2, 8];

/** The server side of a WebSocket, as far as it is needed. */
export type FarSocket = { send(data: string | Uint8Array): void; close(code: number, reason: string): void };

/** Accepts a WebSocket and passes on its messages. */
export function acceptSocket(
  request: IncomingMessage,
  socket: Socket,
  onMessage: (bytes: Buffer) => void = () => undefined,
): FarSocket {
  const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${MAGIC}`).digest('base64');
  const protocol = request.headers['sec-websocket-protocol']?.split(',').at(-1)?.trim();
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
  const more = [`Sec-WebSocket-Accept: ${accept}`, ...(protocol ? [`Sec-WebSocket-Protocol: ${protocol}`] : [])];
  socket.write(`${[...lines, ...more].join('\r\n')}\r\n\r\n`);
  socket.on('error', () => undefined);
  let pending = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    pending = Buffer.concat([pending, bytes]);
    for (let next = readFrame(pending); next !== undefined; next = readFrame(pending)) {
      pending = pending.subarray(next.length);
      if (next.kind === CLOSE) socket.end(frame(CLOSE, next.data));
      else if (next.kind === TEXT || next.kind === BINARY) onMessage(next.data);
    }
  });
  const write = (bytes: Buffer) => {
    if (socket.writable) socket.write(bytes);
  };
  return {
    send: (data) => write(frame(typeof data === 'string' ? TEXT : BINARY, Buffer.from(data as string))),
    close(code, reason) {
      const head = Buffer.alloc(2);
      head.writeUInt16BE(code);
      write(frame(CLOSE, Buffer.concat([head, Buffer.from(reason)])));
      socket.end();
    },
  };
}

function frame(kind: number, data: Buffer): Buffer {
  const head = Buffer.alloc(data.length < 126 ? 2 : data.length < 65_536 ? 4 : 10);
  head[0] = 0x80 + kind;
  head[1] = head.length === 2 ? data.length : head.length === 4 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(data.length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(data.length), 2);
  return Buffer.concat([head, data]);
}

function readFrame(bytes: Buffer): { kind: number; data: Buffer; length: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] ?? 0) % 128;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < start + 4) return undefined;
  const size = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const length = start + 4 + size;
  if (bytes.length < length) return undefined;
  // Clients mask their messages.
  const mask = bytes.subarray(start, start + 4);
  const data = Buffer.from(bytes.subarray(start + 4, length)).map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  return { kind: (bytes[0] ?? 0) % 16, data: Buffer.from(data), length };
}
