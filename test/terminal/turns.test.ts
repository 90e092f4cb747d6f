import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Reply } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { type Chat, openChat } from '../support/chat.ts';
import { isBusy, isReady } from '../support/pty/chat-state.ts';
import { useCliFixture } from '../support/cli-fixture.ts';

const cli = useCliFixture();
const STALLED: Reply = { text: 'half an answer that never ends', fault: { type: 'stall', afterEvents: 2 } };
/** A command that runs until the test creates the folder `go`. */
const WAITING: Reply = {
  toolCalls: [{ name: 'terminal', arguments: { command: 'while [ ! -e go ]; do sleep 0.02; done' } }],
};
const letGo = () => mkdir(join(cli.home.workspace, 'go'));

describe('a turn on the screen', () => {
  verifies('LOOP-7', 'Esc and Ctrl-C end it, close the connection, and keep the typed text', async () => {
    await cli.configure();
    cli.server.setScript(() => STALLED);
    const chat = await openChat(cli);
    await chat.ready();
    for (const key of ['esc', 'ctrl-c'] as const) {
      chat.send(`a question for ${key}`);
      await chat.until((screen) => isBusy(screen) && screen.some((line) => line.includes('half an')));
      chat.type('typing');
      await chat.until((screen) => screen.some((line) => line.startsWith('❯ typing')));
      chat.press(key);
      await cli.server.waitForDisconnect();
      await chat.until((screen) => !isBusy(screen) && screen.some((line) => line.includes('interrupted')));
      expect(chat.typed()).toBe('typing');
      chat.press('ctrl-u');
      await chat.ready();
    }
    expect(chat.scrollback().filter((line) => /was interrupted/.test(line))).toHaveLength(2);
    expect(await chat.leave()).toBe(0);
  });

  it('the status line shows nothing of the previous session', fullDoseOnly, async () => {
    await cli.configure('  context_length: 8000\n');
    cli.server.setScript(() => ({ text: 'Fine.' }));
    const chat = await openChat(cli);
    await chat.ready();
    const status = () => chat.screen().find((line) => /^ *\S+ tokens( · |$)/.test(line)) ?? '';
    await chat.ask('hello', 'Fine.');
    await chat.until(() => /of window/.test(status()));
    await chat.ask('/title first', 'first');
    chat.send('/undo');
    await chat.until((screen) => screen.some((line) => line.startsWith('Undid')) && !/of window/.test(status()));
    expect(status()).toContain('tokens');
    chat.press('ctrl-u');
    await chat.ask('/new', 'Started a new session');
    expect(status()).toBe('');
    await chat.ask('hello again', 'Fine.');
    await chat.until(() => /of window/.test(status()));
    await chat.ask('/resume first', 'Resuming');
    expect(status()).toBe('');
    expect(await chat.leave()).toBe(0);
  });

  verifies(
    'LOOP-8',
    'a line steers it, and is shown above the answer once the model has read it',
    fullDoseOnly,
    async () => {
      await cli.configure();
      cli.server.setScript(({ toolResults }) => (toolResults.length === 0 ? WAITING : { text: 'Blue it is.' }));
      const chat = await openChat(cli, { args: ['chat', 'begin'] });
      await cli.server.nextRequest();
      await chat.until(isBusy);
      chat.send('use the blue one');
      await chat.until((screen) =>
        screen.some((line) => line.includes('next step') && line.includes('use the blue one')),
      );
      await letGo();
      await chat.until((screen) => isReady(screen) && screen.some((line) => line.includes('Blue it is.')));
      expect(cli.server.requests.at(-1)?.toolResults[0]?.content).toContain('use the blue one');
      const said = chat.scrollback().map((line) => line.trim());
      expect(said.indexOf('❯ use the blue one')).toBeGreaterThan(said.indexOf('❯ begin'));
      expect(said.indexOf('Blue it is.')).toBeGreaterThan(said.indexOf('❯ use the blue one'));
      // The note about the steered message was in the live region and is gone.
      expect(said.join('\n')).not.toContain('next step');
    },
  );

  verifies('LOOP-8', 'a second key queues lines, which can be removed and edited', fullDoseOnly, async () => {
    await cli.configure();
    cli.server.setScript(({ lastUserText }) =>
      lastUserText === 'begin' && !existsSync(join(cli.home.workspace, 'go'))
        ? WAITING
        : { text: `Read: ${lastUserText}.` },
    );
    const chat = await openChat(cli, { args: ['chat', 'begin'] });
    await cli.server.nextRequest();
    for (const line of ['the second', 'the thrid']) {
      chat.type(line);
      await chat.until((screen) => screen.some((shown) => shown.startsWith(`❯ ${line}`)));
      chat.press('alt-enter');
      await chat.until((screen) =>
        screen.some((shown) => shown.includes('queued (↑ to edit)') && shown.includes(line)),
      );
    }
    chat.press('up');
    await chat.until((screen) => screen.some((shown) => shown.startsWith('❯ the thrid')));
    expect(chat.screen().filter((line) => line.includes('queued (↑ to edit)'))).toHaveLength(1);
    chat.press('backspace', 'backspace', 'backspace');
    chat.type('ird');
    await chat.until((screen) => screen.some((shown) => shown.startsWith('❯ the third')));
    chat.press('alt-enter');
    await chat.until((screen) => screen.filter((shown) => shown.includes('queued (↑ to edit)')).length === 2);
    await letGo();
    await chat.until((screen) => isReady(screen) && screen.some((shown) => shown.includes('Read: the third.')));
    expect(cli.server.requests.map(({ lastUserText }) => lastUserText)).toEqual([
      'begin',
      'begin',
      'the second',
      'the third',
    ]);
  });

  verifies('LOOP-8', 'text that an interrupted turn did not read returns to the input', fullDoseOnly, async () => {
    await cli.configure();
    cli.server.setScript(({ lastUserText }) => (lastUserText.includes('blue') ? { text: 'Blue it is.' } : STALLED));
    const chat = await openChat(cli, { args: ['chat', 'begin'] });
    await chat.until('half an');
    chat.send('use the blue one');
    await chat.until('next step');
    chat.press('esc');
    await chat.until((screen) => !isBusy(screen) && screen.some((line) => line.startsWith('❯ use the blue one')));
    chat.press('enter');
    await chat.until('Blue it is.');
    expect(cli.server.requests.at(-1)?.lastUserText).toBe('use the blue one');
  });

  verifies(
    'SURF-1',
    'a question of the model is answered by number or in words, and the typed text comes back',
    async () => {
      await cli.configure();
      const ask = (question: string, choices: string[]): Reply => ({
        toolCalls: [{ name: 'clarify', arguments: { question, choices } }],
      });
      const typed = Promise.withResolvers<void>();
      cli.server.setScript(async ({ messages }) => {
        const answered = messages.filter(({ role }) => role === 'tool').length;
        if (answered === 0) await typed.promise;
        return [ask('Which one?', ['the red', 'the blue']), ask('And why?', [])][answered] ?? { text: 'Taken.' };
      });
      const chat = await openChat(cli, { args: ['chat', 'begin'] });
      await cli.server.nextRequest();
      chat.type('typing');
      await chat.until((screen) => screen.includes('❯ typing'));
      typed.resolve();
      for (const [sign, answer] of [
        ['2. the blue', '2'],
        ['And why?', 'it is calm'],
      ] as const) {
        await chat.until((screen) => screen.some((line) => line.includes(sign)));
        chat.type(answer);
        await chat.until((screen) => screen.some((line) => line.endsWith(`› ${answer}`)));
        chat.press('enter');
      }
      await chat.until((screen) => !isBusy(screen) && screen.includes('Taken.') && screen.includes('❯ typing'));
      const results = cli.server.requests.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? [];
      expect(results.map(({ text }) => text)).toEqual([
        expect.stringContaining('the blue'),
        expect.stringContaining('it is calm'),
      ]);
    },
  );
});

describe('an approval on the screen', () => {
  const DELETE: Reply = { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf precious' } }] };
  const isAsked = (screen: string[]) => screen.some((line) => line.includes('reason: recursive delete'));

  /** Waits until all keys so far have arrived, by sending a key with a visible effect. */
  async function untilTaken(chat: Chat): Promise<void> {
    chat.press('ctrl-t');
    await chat.until('Reasoning is now shown');
    expect(isAsked(chat.screen())).toBe(true);
  }

  async function untilAsked() {
    await cli.configure();
    await mkdir(join(cli.home.workspace, 'precious'));
    cli.server.setScript(({ messages }) => (messages.at(-1)?.role === 'user' ? DELETE : { text: 'All done.' }));
    const chat = await openChat(cli);
    await chat.ready();
    chat.send('delete it');
    await chat.until(isAsked);
    return { chat, isThere: () => existsSync(join(cli.home.workspace, 'precious')) };
  }

  verifies('APPR-3', 'shows the part that matched; Enter, spaces and other keys never approve', async () => {
    const { chat, isThere } = await untilAsked();
    expect(chat.screen().join('\n')).toContain('rm -rf precious');
    for (const key of ['enter', 'tab', 'down', 'enter'] as const) chat.press(key);
    chat.type(' y');
    await untilTaken(chat);
    expect(isThere()).toBe(true);
    chat.type('d');
    await chat.until((screen) => isReady(screen) && screen.some((line) => line.includes('All done.')));
    expect(isThere()).toBe(true);
    expect(cli.server.requests.at(-1)?.toolResults[0]?.content).toMatch(/Not allowed/);
  });

  verifies('APPR-3', 'keys typed before the question or pasted are no answer; a single letter is', async () => {
    await cli.configure();
    await mkdir(join(cli.home.workspace, 'precious'));
    const asked = Promise.withResolvers<void>();
    cli.server.setScript(async ({ messages }) => {
      if (messages.at(-1)?.role !== 'user') return { text: 'All done.' };
      await asked.promise;
      return DELETE;
    });
    const chat = await openChat(cli, { args: ['delete it'] });
    await cli.server.nextRequest();
    chat.type('o');
    await chat.until((screen) => screen.some((line) => line.startsWith('❯ o')));
    asked.resolve();
    await chat.until('o once');
    chat.paste('o');
    chat.type('ooo');
    await untilTaken(chat);
    expect(existsSync(join(cli.home.workspace, 'precious'))).toBe(true);
    await chat.until('o once');
    chat.type('o');
    await chat.until((screen) => screen.some((line) => line.includes('All done.')));
    expect(existsSync(join(cli.home.workspace, 'precious'))).toBe(false);
    // Only the text typed before the prompt is in the input, none of the keys after it.
    await chat.until((screen) => screen.some((line) => line === '❯ o'));
  });
});
