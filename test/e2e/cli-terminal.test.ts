import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createProviderServer,
  createTemporaryHome,
  type ProviderServer,
  type TemporaryHome,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';

const BINARY = join(import.meta.dirname, '../../bin/hermes.js');

let home: TemporaryHome;
let server: ProviderServer;
beforeEach(async () => {
  home = await createTemporaryHome();
  server = await createProviderServer();
});
afterEach(async () => {
  await server.close();
  await home.remove();
});

/** A person at a terminal, who waits for something to appear and then types. */
function openTerminal(...args: string[]) {
  const terminal = spawn(process.execPath, [BINARY, ...args], {
    ...{ cols: 100, rows: 40, cwd: home.workspace },
    env: { PATH: process.env['PATH'] ?? '', HOME: home.userHome, HERMES_HOME: home.path, TERM: 'xterm', NO_COLOR: '1' },
  });
  let output = '';
  let position = 0;
  let look = () => {};
  terminal.onData((text) => {
    output += text;
    look();
  });
  const exited = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  return {
    exited,
    output: () => output,
    type: (text: string) => terminal.write(text),
    /** Each text is looked for behind the one before. */
    see: (text: string) =>
      new Promise<void>((resolve) => {
        look = () => {
          const at = output.indexOf(text, position);
          if (at < 0) return;
          position = at + text.length;
          look = () => {};
          resolve();
        };
        look();
      }),
  };
}

const configure = () =>
  home.write('config.yaml', `model:\n  provider: custom\n  default: test-model\n  base_url: ${server.url}/v1\n`);

describe('a chat in a terminal', () => {
  verifies('SURF-1', 'streams answers, shows calls, and asks before something dangerous', async () => {
    await mkdir(join(home.workspace, 'precious'));
    const chat = openTerminal('--provider', 'demo');
    await chat.see('❯ ');
    chat.type('list the files here\r');
    await chat.see('● terminal  ls -p');
    await chat.see('precious/');
    await chat.see('❯ ');
    chat.type('delete precious\r');
    await chat.see("rm -rf 'precious'");
    await chat.see('o/s/a/d');
    // Enter alone is no answer.
    chat.type('\r');
    await chat.see('o/s/a/d');
    chat.type('d\r');
    await chat.see('✗ denied');
    await chat.see('❯ ');
    expect(existsSync(join(home.workspace, 'precious'))).toBe(true);
    chat.type('delete precious\r');
    await chat.see('o/s/a/d');
    chat.type('o\r');
    await chat.see('✓');
    await chat.see('❯ ');
    expect(existsSync(join(home.workspace, 'precious'))).toBe(false);
    chat.type('/quit\r');
    await chat.see('hermes --resume');
    expect(await chat.exited).toBe(0);
  });

  verifies(['LOOP-7', 'LOOP-11'], 'Ctrl-C ends the turn, and a later start shows what was left', async () => {
    await configure();
    server.setScript([{ toolCalls: [{ name: 'terminal', arguments: { command: 'sleep 60' } }] }]);
    const chat = openTerminal('start something long');
    await server.nextRequest();
    chat.type('\u0003');
    await chat.see('was interrupted');
    chat.type('\u0004');
    expect(await chat.exited).toBe(0);
    const later = openTerminal('--continue');
    await later.see('start something long');
    await later.see('did not end with an answer (interrupted)');
    later.type('\u0004');
    expect(await later.exited).toBe(0);
  });

  verifies('LOOP-8', 'a line typed during a turn is handed to the model', async () => {
    await configure();
    server.setScript((request) =>
      request.toolResults.length === 0
        ? { toolCalls: [{ name: 'terminal', arguments: { command: 'while [ ! -e go ]; do sleep 0.02; done' } }] }
        : { text: 'Understood.' },
    );
    const chat = openTerminal('begin');
    await server.nextRequest();
    chat.type('use the blue one\r');
    await chat.see('use the blue one');
    await mkdir(join(home.workspace, 'go'));
    await chat.see('Understood.');
    expect(server.requests.at(-1)?.toolResults[0]?.content).toContain('use the blue one');
    chat.type('\u0004');
    await chat.exited;
  });

  verifies('SURF-1', 'a first start offers set-up and the demo', async () => {
    const chat = openTerminal();
    await chat.see('How do you want to start?');
    await chat.see('Leave');
    chat.type('\u0003');
    expect(await chat.exited).toBe(0);
    expect(existsSync(join(home.path, 'config.yaml'))).toBe(false);
  });

  it('asks for a provider, a key and a model, and shows no key', async () => {
    const chat = openTerminal('setup');
    await chat.see('Who serves the model?');
    // The last one: an endpoint of one's own.
    chat.type('\u001b[A\r');
    await chat.see('At which address?');
    chat.type(`${server.url}/v1\r`);
    await chat.see('Its key');
    chat.type('typed-secret\r');
    await chat.see('Which model?');
    chat.type('\r');
    await chat.see('Saved Custom endpoint with test-model');
    expect(await chat.exited).toBe(0);
    expect(chat.output()).not.toContain('typed-secret');
    expect(await home.read('.env')).toBe('OPENAI_API_KEY=typed-secret\n');
    expect(await home.read('config.yaml')).toContain(`base_url: ${server.url}/v1`);
  });
});
