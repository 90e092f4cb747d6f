import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { sandboxSkipReason } from '../../src/environments/skip-tests.fixture.ts';
import type { ReceivedRequest } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { openPlainChat } from '../support/plain-chat.ts';

const cli = useCliFixture();
const { configure } = cli;

const openChat = (...args: string[]) => openPlainChat(cli, ...args);

const lastRequest = () => cli.server.requests.at(-1) as ReceivedRequest;
const answering = (text: string) => () => ({ text });

describe('session choices', () => {
  verifies(
    'SURF-3',
    '/personality changes the prompt of the session, and a resume keeps it',
    fullDoseOnly,
    async () => {
      await configure('agent:\n  personalities: { robot: Speak like a very old robot. }\n');
      cli.server.setScript(answering('Fine.'));
      const chat = await openChat();
      expect(await chat.say('/personality', 'agent.personalities')).toMatch(/concise[^]*robot +Speak like/);
      await chat.say('/personality robt', 'Did you mean robot?');
      await chat.say('/personality robot', 'Personality robot, starting with the next message');
      await chat.say('hello', 'Fine.');
      expect(lastRequest().system).toContain('Speak like a very old robot.');
      await chat.leave();
      const later = await openChat('--continue');
      expect(await later.say('/personality', 'agent.personalities')).toContain('* robot');
      await later.say('/personality none', 'No personality, starting with the next message');
      await later.say('again', 'Fine.');
      expect(lastRequest().system).not.toContain('robot');
      await later.leave();
    },
  );

  verifies('SURF-3', '/yolo disables approvals for the session immediately, and enables them again', async () => {
    await configure();
    for (const name of ['a', 'b']) await writeFile(join(cli.home.workspace, `${name}.txt`), 'x');
    const removal = (name: string) => [
      { toolCalls: [{ name: 'terminal', arguments: { command: `rm -rf ${name}.txt` } }] },
      { text: `Done with ${name}.` },
    ];
    cli.server.setScript([...removal('a'), ...removal('b')]);
    const chat = await openChat();
    await chat.say('/yolo', 'YOLO is on');
    await chat.say('remove a', 'Done with a.');
    expect(existsSync(join(cli.home.workspace, 'a.txt'))).toBe(false);
    await chat.say('/yolo maybe', 'Usage: /yolo');
    await chat.say('/yolo off', 'YOLO is off');
    chat.type('remove b\r');
    await chat.see('o/s/a/d');
    chat.type('d\r');
    await chat.see('Done with b.');
    expect(existsSync(join(cli.home.workspace, 'b.txt'))).toBe(true);
    await chat.leave();
  });

  const missing = sandboxSkipReason();
  verifies(
    'APPR-7',
    `/sandbox and --sandbox switch the sandbox for a session${missing}`,
    { ...fullDoseOnly, ...(missing === '' ? {} : { skip: true }) },
    async () => {
      await configure('terminal:\n  sandbox_network: false\n');
      await mkdir(join(cli.home.workspace, 'a'));
      await mkdir(join(cli.home.workspace, 'b'));
      const removal = (name: string) => [
        { toolCalls: [{ name: 'terminal', arguments: { command: `rm -rf ${name}; touch ../${name}-outside` } }] },
        { text: `Done with ${name}.` },
      ];
      cli.server.setScript([...removal('a'), ...removal('b'), { text: 'Hello.' }]);
      const hasParameter = () => JSON.stringify(lastRequest().body).includes('outside_sandbox');
      const chat = await openChat();
      await chat.say('/sandbox', 'The sandbox is off: commands run as you');
      await chat.say('/sandbox maybe', 'Usage: /sandbox');
      await chat.say('/sandbox on', 'The sandbox is on: commands can write only to the working directory');
      await chat.say('remove a', 'Done with a.');
      expect(existsSync(join(cli.home.workspace, 'a'))).toBe(false);
      expect(existsSync(join(cli.home.workspace, '../a-outside'))).toBe(false);
      expect(hasParameter()).toBe(true);
      expect(lastRequest().system).toContain('sandboxed: only the working directory');
      await chat.say('/sandbox off', 'The sandbox is off');
      chat.type('remove b\r');
      await chat.see('o/s/a/d');
      chat.type('d\r');
      await chat.see('Done with b.');
      expect(existsSync(join(cli.home.workspace, 'b'))).toBe(true);
      expect(hasParameter()).toBe(false);
      expect(lastRequest().system).not.toContain('sandboxed');
      await chat.leave();
      const started = await openChat('--sandbox');
      await started.say('/sandbox', 'The sandbox is on');
      await started.say('hello', 'Hello.');
      expect(hasParameter()).toBe(true);
      await started.leave();
    },
  );

  verifies(
    'SURF-3',
    '/toolsets toggles a tool set for the session, keeps its history, and shows the cost',
    async () => {
      await configure('  context_length: 50000\nagent:\n  disabled_toolsets: [todo]\n');
      cli.server.setScript(answering('Fine.'));
      const chat = await openChat();
      await chat.say('hello', 'Fine.');
      expect(lastRequest().toolNames).toContain('terminal');
      expect(await chat.say('/toolsets', '/toolsets off NAME')).toMatch(/terminal \(on\)[^]*todo \(off\)/);
      await chat.say('/toolsets off terminal', 'terminal is off in this session. The tools changed');
      await chat.say('again', 'Fine.');
      expect(lastRequest().toolNames).not.toContain('terminal');
      expect(lastRequest().messages.length).toBeGreaterThan(2);
      expect(await chat.say('/tools', 'agent.disabled_toolsets')).toContain('- terminal');
      await chat.say('/toolsets on terminal', 'terminal is on in this session');
      await chat.say('and again', 'Fine.');
      expect(lastRequest().toolNames).toContain('terminal');
      await chat.say('/toolsets on todo', 'todo is disabled by agent.disabled_toolsets in config.yaml');
      await chat.say('/toolsets on nothing', 'Unknown tool set "nothing"');
      await chat.leave();
    },
  );

  verifies('SURF-3', '/verbose shows less or more of a turn', fullDoseOnly, async () => {
    await configure();
    const turn = [{ toolCalls: [{ name: 'terminal', arguments: { command: 'echo found' } }] }, { text: 'Done.' }];
    cli.server.setScript([...turn, ...turn, ...turn]);
    const chat = await openChat();
    expect(await chat.say('one', 'Done.')).toContain('● terminal');
    await chat.say('/verbose quiet', 'Verbosity is quiet');
    expect(await chat.say('two', 'Done.')).not.toContain('terminal');
    await chat.say('/verbose full', 'starting with the next turn');
    expect(await chat.say('three', 'Done.')).toMatch(/● terminal[^]* {2}found\r\n/);
    await chat.say('/verbose loud', 'quiet, normal, full');
    await chat.leave();
  });

  verifies('SURF-3', '/clear and /new start another session; /history shows the last messages', async () => {
    await configure();
    cli.server.setScript(answering('Fine.'));
    const chat = await openChat();
    await chat.say('/history', 'There are no messages yet.');
    await chat.say('/save a.md', 'There is nothing to save yet');
    await chat.say('hello', 'Fine.');
    await chat.say('/save a.md', 'Saved to ');
    expect(await readFile(join(cli.home.workspace, 'a.md'), 'utf8')).toContain('hello');
    // `/save` overwrites no existing file.
    await chat.say('/save a.md', 'a.md');
    expect(await chat.say('/history 1', 'Fine.')).toContain('(earlier messages: 1)');
    expect(await chat.say('/clear', 'Started a new session')).toMatch(/(?:\r\n){40}/);
    await chat.say('/history', 'There are no messages yet.');
    await chat.leave();
  });
});

describe('slash commands during a turn', () => {
  verifies(['SURF-3', 'LOOP-8'], '/queue queues a message for after the turn, /steer passes one to it', async () => {
    await configure();
    cli.server.setScript((request) => {
      if (request.toolResults.length > 0 || request.lastUserText !== 'wait')
        return { text: `Heard ${request.lastUserText}.` };
      return { toolCalls: [{ name: 'terminal', arguments: { command: 'while [ ! -e go ]; do sleep 0.02; done' } }] };
    });
    const chat = await openChat();
    chat.type('wait\r');
    await cli.server.nextRequest();
    chat.type('/queue and then this\r');
    await chat.see('Queued as number 1');
    chat.type('/queue\r');
    await chat.see('1. and then this');
    chat.type('/steer mind the gap\r');
    await chat.see('The model will read it at the next step.');
    await writeFile(join(cli.home.workspace, 'go'), '');
    await chat.see('Heard wait.');
    await chat.see('Heard and then this.');
    expect(JSON.stringify(cli.server.requests[1]?.messages)).toContain('mind the gap');
    await chat.say('/queue', 'The queue is empty.');
    await chat.say('/steer now', 'Heard now.');
    await chat.leave();
  });

  verifies(
    'SURF-3',
    '/background runs a turn in a separate session and announces its result',
    fullDoseOnly,
    async () => {
      await configure();
      cli.server.setScript((request) => {
        const text = `Heard ${request.lastUserText}.`;
        if (request.lastUserText === 'hang') return { text, fault: { type: 'stall' as const } };
        if (request.lastUserText !== 'dig' || request.toolResults.length > 0) return { text };
        return {
          toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf precious' } }],
        };
      });
      await mkdir(join(cli.home.workspace, 'precious'));
      const chat = await openChat();
      await chat.say('/background', 'There are no background turns');
      await chat.say('/background dig', 'Started background turn 1 in session');
      // A background turn does not ask for approval, and the chat stays usable.
      await chat.see('Background turn 1 finished. Use /resume');
      await chat.see('Heard dig.');
      expect(existsSync(join(cli.home.workspace, 'precious'))).toBe(true);
      await chat.say('hello', 'Heard hello.');
      await chat.say('/bg hang', 'Started background turn 2');
      await cli.server.nextRequest();
      expect(await chat.say('/background', 'running for')).toMatch(/1 {2}dig +\S+ +completed[^]*2 {2}hang/);
      await chat.say('/background stop 2', 'Stopping background turn');
      await chat.see('Background turn 2 ended (interrupted)');
      await chat.say('/background stop 2', 'No background turn with this number is running.');
      await chat.say('/bg hang', 'Started background turn 3');
      chat.type('\u0004');
      await chat.see('Stopped background turn 3 (hang): hermes --resume ');
      expect(await chat.exited).toBe(0);
    },
  );
});
