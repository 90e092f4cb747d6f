import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { openPlainChat } from '../support/plain-chat.ts';

const cli = useCliFixture();
const { configure } = cli;

const openChat = (...args: string[]) => openPlainChat(cli, ...args);

describe('inspection commands in a chat', () => {
  verifies('SURF-3', '/context shows what fills the window: layers, tools, history by role', async () => {
    await configure('model_overrides:\n  test-model: { context_length: 100000 }\n');
    await writeFile(join(cli.home.workspace, 'AGENTS.md'), 'Mind the gap. '.repeat(500));
    cli.server.setScript([
      { toolCalls: [{ name: 'terminal', arguments: { command: 'seq 1 2000' } }] },
      { text: 'Counted.', usage: { input: 12_345, output: 5 } },
    ]);
    const chat = await openChat();
    expect(await chat.say('/context', 'free')).toMatch(/history \(0\) +0 +0 %/);
    await chat.say('count', 'Counted.');
    const shown = await chat.say('/context', 'last call');
    expect(shown).toMatch(/About [\d.]+k of 100\.0k tokens, \d+ %/);
    expect(shown).toMatch(/system prompt +[\d.]+k +\d+ %/);
    // Every part of the session's prompt is listed, and nothing is unaccounted for.
    expect(shown).toMatch(/ {2}AGENTS\.md +\d\.\dk +2 %/);
    expect(shown).not.toContain('from the stored prompt');
    expect(shown).toMatch(/tools \(\d+\) +[\d.]+k/);
    expect(shown).toMatch(/history \(4\)[^]*user \(1\)[^]*assistant \(2\)[^]*tool results \(1\) +[\d.]+k +\d+ %/);
    expect(shown).toContain(
      'compression starts at 50.0k tokens, 50 % of the window: the default for a window of this size',
    );
    expect(shown).toContain('reported by the provider for the last call: 12.3k');
    await chat.leave();
  });

  verifies('SURF-3', '/status shows the session, model and folders', async () => {
    await configure();
    cli.server.setScript(() => ({ text: 'Hello.' }));
    const chat = await openChat();
    expect(await chat.say('/status', 'log')).toContain('starts with the first message');
    await chat.say('hi', 'Hello.');
    await chat.say('/title A greeting', 'is now');
    const shown = await chat.say('/status', 'log');
    expect(shown).toMatch(/session +\d{8}_\d{6}_[0-9a-f]+\r?\n/);
    expect(shown).toMatch(/title +A greeting/);
    expect(shown).toMatch(/messages +2, tool calls: 0/);
    expect(shown).toMatch(/model +test-model \(custom\)/);
    expect(shown).toContain(cli.home.workspace);
    await chat.leave();
  });

  verifies(['SURF-3', 'SURF-12'], '/insights shows all sessions of the given number of days', async () => {
    await configure();
    cli.server.setScript(() => ({ text: 'Hello.' }));
    const chat = await openChat();
    await chat.say('hi', 'Hello.');
    expect(await chat.say('/insights', 'Active hours')).toMatch(
      /The last 30 days[^]*sessions +1[^]*test-model \(custom\)/,
    );
    expect(await chat.say('/insights 7', 'Active hours')).toContain('The last 7 days');
    await chat.say('/insights never', 'Usage: /insights [DAYS]');
    await chat.leave();
  });

  verifies('SURF-3', '/copy sends the last answer to the clipboard of the terminal', async () => {
    await configure();
    cli.server.setScript(() => ({ text: 'Grüße **an alle**.' }));
    const chat = await openChat();
    await chat.say('/copy', 'There is no answer yet.');
    await chat.say('hi', 'an alle');
    const shown = await chat.say('/copy', 'Copied 18 characters');
    expect(shown).toContain(`\u001b]52;c;${Buffer.from('Grüße **an alle**.').toString('base64')}\u0007`);
    await chat.leave();
  });

  verifies('SURF-3', 'an unknown command suggests similar commands and skills', async () => {
    await configure();
    const chat = await openChat();
    await chat.say('/contxt', 'Unknown command or skill /contxt. Did you mean /context');
    await chat.say('/code-reviw', 'Did you mean /code-review?');
    await chat.say('/zzzzzz', 'Use /help and /skills to list all.');
    expect(cli.server.requests).toEqual([]);
    await chat.leave();
  });
});
