import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import {
  createProviderServer,
  createTemporaryHome,
  type ProviderServer,
  type TemporaryHome,
} from '../../src/testing/index.ts';
import { createTextSink } from '../support/text-sink.ts';

const EXAMPLE = join(import.meta.dirname, '../../examples/chat-surface/chat-surface.mjs');

type RunChat = (chat: {
  input: NodeJS.ReadableStream;
  output: ReturnType<typeof createTextSink>;
  log: ReturnType<typeof createTextSink>;
  env: Record<string, string>;
  workingDirectory: string;
  resume?: string;
}) => Promise<string>;

let home: TemporaryHome;
let server: ProviderServer;
beforeEach(async () => {
  home = await createTemporaryHome();
  server = await createProviderServer();
  await home.write(
    'config.yaml',
    `model: { provider: custom, default: test-model, base_url: '${server.url}/v1', api_key: k }\n`,
  );
});
afterEach(async () => {
  await server.close();
  await home.remove();
});

async function startChat(resume?: string) {
  // The example imports the built package by its name, as another program would.
  const { runChat } = (await import(EXAMPLE)) as { runChat: RunChat };
  const input = new PassThrough();
  const [output, log] = [createTextSink(), createTextSink()];
  const chat = { input, output, log, env: { HERMES_HOME: home.path }, workingDirectory: home.workspace };
  const ended = runChat(resume === undefined ? chat : { ...chat, resume });
  const say = (line: string) => void input.write(`${line}\n`);
  const see = async (text: string | RegExp) => {
    await expect.poll(() => output.text).toMatch(text);
  };
  return { say, see, log, output, leave: async () => (input.end(), ended) };
}

it('is short and imports only the package', async () => {
  const source = await readFile(EXAMPLE, 'utf8');
  expect(source.split('\n').length - 1).toBeLessThan(60);
  expect([...source.matchAll(/from '([^']+)'/g)].map(([, from]) => from)).toEqual([
    'node:os',
    'node:path',
    'node:readline',
    'hermes-agent-ts',
  ]);
});

verifies('LOOP-8', 'a second surface steers a turn, and two readers see all of it', async () => {
  const gate = Promise.withResolvers<void>();
  server.setScript(async ({ messages }) => {
    if (messages.length > 1) return { text: `Painted it: ${messages.at(-1)?.text}` };
    await gate.promise;
    return { text: 'Which colour? ' };
  });
  const chat = await startChat();
  chat.say('paint the shed');
  await server.nextRequest();
  chat.say('in blue');
  await chat.see('[steered]');
  gate.resolve();
  await chat.see(/Painted it: .*in blue[\s\S]*\[completed\]/);
  await chat.leave();
  const logged = chat.log.text.trim().split('\n');
  expect([logged[0], logged.at(-1)]).toEqual(['started', 'finished']);
  expect(logged).toContain('steered');
});

verifies('APPR-3', 'a second surface asks for approval and continues a stored session', async () => {
  await home.write('build/old.o', 'x');
  server.setScript(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return { text: 'It is gone.' };
    if (last?.text.includes('clean')) {
      return { toolCalls: [{ name: 'terminal', arguments: { command: `rm -rf ${join(home.path, 'build')}` } }] };
    }
    return { text: `I remember ${messages.length} messages.` };
  });
  const chat = await startChat();
  chat.say('clean up');
  await chat.see(/\? .*rm -rf .* \(yes\/no\)/);
  chat.say('yes');
  await chat.see('It is gone.');
  await chat.see('[completed]');
  const sessionId = await chat.leave();
  const later = await startChat(sessionId);
  later.say('what do you remember?');
  await later.see('I remember 5 messages.');
  expect(await later.leave()).toBe(sessionId);
});
