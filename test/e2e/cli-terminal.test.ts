import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();
const { configure } = cli;

const openTerminal = (...args: string[]) => startTerminal(cli.home, args);

describe('a chat in a terminal', () => {
  verifies('SURF-1', 'streams answers, shows calls, and asks before dangerous commands', async () => {
    await mkdir(join(cli.home.workspace, 'precious'));
    const chat = openTerminal('--provider', 'demo');
    await chat.see('❯ ');
    chat.type('list the files here\r');
    await chat.see('● terminal  ls -p');
    await chat.see('precious/');
    await chat.see('❯ ');
    chat.type('delete precious\r');
    await chat.see("rm -rf 'precious'");
    await chat.see('o/s/a/d');
    // Enter alone does not count as an answer.
    chat.type('\r');
    await chat.see('o/s/a/d');
    chat.type('d\r');
    await chat.see('✗ denied');
    await chat.see('❯ ');
    expect(existsSync(join(cli.home.workspace, 'precious'))).toBe(true);
    chat.type('delete precious\r');
    await chat.see('o/s/a/d');
    chat.type('o\r');
    await chat.see('✓');
    await chat.see('❯ ');
    expect(existsSync(join(cli.home.workspace, 'precious'))).toBe(false);
    chat.type('/quit\r');
    await chat.see('hermes --resume');
    expect(await chat.exited).toBe(0);
  });

  it(
    'shows the same number of tools at the start and in /tools, also without an auxiliary model',
    fullDoseOnly,
    async () => {
      const chat = openTerminal('--provider', 'demo');
      await chat.see(' tools · ');
      await chat.see('❯ ');
      chat.type('/tools\r');
      await chat.see(' tools: ');
      const [begun, listed] = [/(\d+) tools · /, /(\d+) tools: /].map((count) => count.exec(chat.output())?.[1]);
      expect(begun).toBe(listed);
      chat.type('\u0004');
      expect(await chat.exited).toBe(0);
    },
  );

  verifies(['LOOP-7', 'LOOP-11'], 'Ctrl-C ends the turn, and a later start shows what was left', async () => {
    await configure();
    cli.server.setScript([{ toolCalls: [{ name: 'terminal', arguments: { command: 'sleep 60' } }] }]);
    const chat = openTerminal('start something long');
    await cli.server.nextRequest();
    chat.type('\u0003');
    await chat.see('was interrupted');
    chat.type('\u0004');
    expect(await chat.exited).toBe(0);
    const later = openTerminal('--continue');
    await later.see('start something long');
    await later.see('ended without an answer (interrupted)');
    later.type('\u0004');
    expect(await later.exited).toBe(0);
  });

  verifies('LOOP-7', 'one Ctrl-C ends one turn, even if another message is queued', async () => {
    await configure('display:\n  busy_input_mode: queue\n');
    cli.server.setScript(() => ({ text: 'never finished', fault: { type: 'stall', afterEvents: 2 } }));
    const chat = openTerminal('the first turn');
    await cli.server.nextRequest();
    chat.type('the second turn\r');
    await chat.see('the second turn');
    chat.type('\u0003');
    await cli.server.nextRequest();
    await chat.see('was interrupted');
    chat.type('\u0003');
    await chat.see('was interrupted');
    chat.type('\u0004');
    expect(await chat.exited).toBe(0);
  });

  verifies('LOOP-8', 'a line typed during a turn steers the model', async () => {
    await configure();
    cli.server.setScript((request) =>
      request.toolResults.length === 0
        ? { toolCalls: [{ name: 'terminal', arguments: { command: 'while [ ! -e go ]; do sleep 0.02; done' } }] }
        : { text: 'Understood.' },
    );
    const chat = openTerminal('chat', 'begin');
    await cli.server.nextRequest();
    chat.type('use the blue one\r');
    await chat.see('use the blue one');
    await mkdir(join(cli.home.workspace, 'go'));
    await chat.see('Understood.');
    expect(cli.server.requests.at(-1)?.toolResults[0]?.content).toContain('use the blue one');
    chat.type('\u0004');
    await chat.exited;
  });

  verifies('LOOP-8', 'a line that an interrupted turn did not use returns to the input line', async () => {
    await configure();
    cli.server.setScript((request) =>
      request.lastUserText.includes('blue')
        ? { text: 'Blue it is.' }
        : { text: 'half an answer', fault: { type: 'stall', afterEvents: 2 } },
    );
    const chat = openTerminal('chat', 'begin');
    await chat.see('half');
    chat.type('use the blue one\r');
    await chat.see('use the blue one');
    chat.type('half a thou');
    await chat.see('half a thou');
    chat.type('\u0003');
    await chat.see('was interrupted');
    await chat.see('use the blue one⏎half a thou');
    chat.type('ght\r');
    await chat.see('Blue it is.');
    expect(cli.server.requests.at(-1)?.lastUserText).toBe('use the blue one\nhalf a thought');
    expect(chat.output()).not.toContain('again:');
    chat.type('\u0004');
    expect(await chat.exited).toBe(0);
  });

  verifies(
    'SURF-1',
    'a shell command of the user is sent with the next message; with !! it is not',
    fullDoseOnly,
    async () => {
      await configure();
      cli.server.setScript(() => ({ text: 'I see.' }));
      const chat = openTerminal();
      await chat.see('❯ ');
      chat.type('!echo $((40 + 2)) of them\r');
      await chat.see('42 of them');
      await chat.see('❯ ');
      chat.type('!!echo $((1000 + 1)) alone\r');
      await chat.see('1001 alone');
      await chat.see('❯ ');
      chat.type('what was that?\r');
      await chat.see('I see.');
      const sent = cli.server.requests.at(0)?.lastUserText;
      expect(sent).toContain('$ echo $((40 + 2)) of them\n42 of them\n\nwhat was that?');
      expect(sent).not.toContain('1001');
      chat.type('\u0004');
      expect(await chat.exited).toBe(0);
    },
  );

  verifies('LOOP-7', '/stop ends a turn immediately, even with an open question', async () => {
    await configure();
    cli.server.setScript((request) =>
      request.lastUserText === 'ask me'
        ? { toolCalls: [{ name: 'clarify', arguments: { question: 'Which one?' } }] }
        : { text: 'never finished', fault: { type: 'stall', afterEvents: 2 } },
    );
    const chat = openTerminal('chat', 'begin');
    await chat.see('never');
    chat.type('/stop\r');
    await chat.see('was interrupted');
    await chat.see('❯ ');
    chat.type('ask me\r');
    await chat.see('answer ›');
    chat.type('/stop\r');
    await chat.see('was interrupted');
    await chat.see('❯ ');
    chat.type('/stop\r');
    await chat.see('No turn is running.');
    chat.type('/help\r');
    await chat.see('/stop');
    chat.type('\u0004');
    expect(await chat.exited).toBe(0);
  });

  verifies('SURF-1', 'a first start offers setup and the demo', async () => {
    const chat = openTerminal();
    await chat.see('How do you want to start?');
    await chat.see('Quit');
    chat.type('\u0003');
    expect(await chat.exited).toBe(0);
    expect(existsSync(join(cli.home.path, 'config.yaml'))).toBe(false);
  });
});
