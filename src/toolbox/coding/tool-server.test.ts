import { mkdtemp, rm, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openToolServer, type ToolServerOptions } from './tool-server.ts';

const TOKEN = 'a'.repeat(64);

async function open(
  answer: ToolServerOptions['answer'] = async (tool, args) => ({ ok: true, text: `${tool} ${JSON.stringify(args)}` }),
) {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-server-test-'));
  const path = join(folder, 's');
  const server = await openToolServer({ path, token: TOKEN, answer });
  onTestFinished(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });
  return { path, server };
}

/** Sends text and waits for a number of response lines, or for the end of the connection. */
async function say(path: string, text: string, lines = 1): Promise<string[]> {
  const socket = connect(path);
  socket.on('error', () => undefined);
  socket.write(text);
  return listen(socket, lines);
}

async function listen(socket: Socket, lines: number): Promise<string[]> {
  let heard = '';
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.on('data', (bytes) => {
      heard += String(bytes);
      if (heard.split('\n').length > lines) socket.destroy();
    });
  });
  return heard.split('\n').slice(0, -1);
}

const call = (id: number, tool = 'read_file') => `${JSON.stringify({ id, tool, args: { path: 'a' } })}\n`;

describe('the tool server', () => {
  it('creates a socket that only its owner can use', async () => {
    const { path } = await open();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('accepts only the right token, and only once', async () => {
    const { path } = await open();
    expect(await say(path, `${'b'.repeat(64)}\n${call(1)}`)).toEqual([]);
    expect(await say(path, `${TOKEN.slice(1)}\n${call(1)}`)).toEqual([]);
    expect(await say(path, call(1))).toEqual([]);
    expect(await say(path, `${TOKEN}\n${call(1)}`)).toEqual([
      '{"id":1,"ok":true,"text":"read_file {\\"path\\":\\"a\\"}"}',
    ]);
    expect(await say(path, `${TOKEN}\n${call(1)}`)).toEqual([]);
  });

  it('accepts no second client', async () => {
    const { path } = await open();
    const first = connect(path);
    first.write(`${TOKEN}\n${call(1)}`);
    await new Promise((resolve) => first.once('data', resolve));
    expect(await say(path, `${TOKEN}\n${call(2)}`)).toEqual([]);
    first.write(call(3));
    expect(await listen(first, 1)).toEqual([expect.stringContaining('"id":3')]);
  });

  it('rejects a client that connected before the token was used', async () => {
    const { path } = await open();
    const early = connect(path);
    early.on('error', () => undefined);
    await new Promise((resolve) => early.once('connect', resolve));
    expect(await say(path, `${TOKEN}\n${call(1)}`)).toHaveLength(1);
    early.write(`${TOKEN}\n${call(2)}`);
    expect(await listen(early, 1)).toEqual([]);
  });

  it('answers concurrent calls as each finishes', async () => {
    const gates = new Map(['a', 'b'].map((name) => [name, Promise.withResolvers<void>()]));
    const { path } = await open(async (tool) => {
      if (tool === 'b') gates.get('a')?.resolve();
      await gates.get(tool)?.promise;
      if (tool === 'a') gates.get('b')?.resolve();
      return { ok: true, text: tool };
    });
    const heard = await say(path, `${TOKEN}\n${call(1, 'a')}${call(2, 'b')}`, 2);
    expect(heard.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1, 2]);
  });

  it('disconnects a client that sends an endless line', async () => {
    const { path } = await open();
    const socket = connect(path);
    socket.on('error', () => undefined);
    socket.write(`${TOKEN}\n`);
    socket.write('x'.repeat(17_000_000));
    expect(await listen(socket, 1)).toEqual([]);
  });

  it('answers every line and runs nothing for an invalid call', async () => {
    const called: string[] = [];
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), fc.string(), fc.string({ unit: 'binary' })), async (line) => {
        const { path, server } = await open(async (tool) => {
          called.push(tool);
          return { ok: true, text: '' };
        });
        const text = line.replaceAll('\n', ' ');
        const heard = await say(path, `${TOKEN}\n${text}\n`);
        server.close();
        expect(JSON.parse(heard[0] ?? 'null')).toMatchObject({ ok: expect.any(Boolean) });
      }),
      { numRuns: 30 },
    );
    expect(called.every((tool) => typeof tool === 'string')).toBe(true);
  });
});
