import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPlatform } from '../../src/surfaces/gateway/index.ts';
import { createSlackServer, createTelegramServer, startHermes, type TelegramServer } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();
let telegram: TelegramServer;
beforeEach(async () => {
  telegram = await createTelegramServer();
  await cli.configure(`platforms: { telegram: { extra: { base_url: ${telegram.url} } } }\n`);
});
afterEach(() => telegram.close());

const run = (args: string[], options: { input?: string; env?: Record<string, string> } = {}) =>
  runHermes(args, { home: cli.home, ...options });
const savedVariables = () => readFile(join(cli.home.path, '.env'), 'utf8').catch(() => '');

describe('hermes gateway setup', () => {
  it('asks in a terminal, hides the token and verifies it', async () => {
    const terminal = startTerminal(cli.home, ['gateway', 'setup']);
    await terminal.see('Which platform?');
    terminal.type('\r');
    await terminal.see('1. Open https://t.me/BotFather');
    await terminal.see('Telegram bot token');
    terminal.type('my password\r');
    await terminal.see('A bot token looks like');
    // Ctrl-U deletes the line.
    terminal.type('\u0015');
    terminal.type('1:AAwrong_token_of_a_bot_xyz\r');
    await terminal.see('The token was revoked or is wrong.');
    terminal.type(`${telegram.token}\r`);
    await terminal.see(`The token belongs to @${telegram.bot.username}.`);
    await terminal.see('Who may use the bot?');
    terminal.type('\u001b[B\r');
    await terminal.see('User ids');
    terminal.type('4711\r');
    await terminal.see('Home channel');
    terminal.type('\r');
    await terminal.see('Telegram is set up.');
    await terminal.see(`https://t.me/${telegram.bot.username}`);
    expect(await terminal.exited).toBe(0);
    expect(terminal.output()).not.toContain(telegram.token);
    expect(await savedVariables()).toBe(
      `TELEGRAM_BOT_TOKEN=${telegram.token}\nTELEGRAM_ALLOWED_USERS=4711\nTELEGRAM_HOME_CHANNEL=4711\n`,
    );
    expect((await stat(join(cli.home.path, '.env'))).mode & 0o777).toBe(0o600);
  });

  it('needs options without a terminal, and saves nothing if the token is wrong', async () => {
    const silent = await run(['gateway', 'setup']);
    expect([silent.exitCode, silent.stderr]).toEqual([2, expect.stringContaining('--token - --pairing')]);
    const wrong = await run(['gateway', 'setup', 'telegram', '--token', '-'], {
      input: '1:AAwrong_token_of_a_bot_xyz',
    });
    expect([wrong.exitCode === 0, await savedVariables()]).toEqual([false, '']);
    expect(wrong.stderr).not.toContain('AAwrong');
    const unknown = await run(['gateway', 'setup', 'icq', '--token', '-'], { input: 'x' });
    expect(unknown.stderr).toContain('Use one of: telegram, discord, slack, irc, ntfy.');
    const right = await run(['gateway', 'setup', 'telegram', '--token', '-', '--pairing', '--home', '5'], {
      input: `${telegram.token}\n`,
    });
    expect([right.exitCode, right.stderr]).toEqual([0, '']);
    expect(await savedVariables()).toBe(`TELEGRAM_BOT_TOKEN=${telegram.token}\nTELEGRAM_HOME_CHANNEL=5\n`);
  });
});

describe('hermes gateway setup slack', () => {
  it('needs two tokens, verifies both, and switches the platform on', async () => {
    await using slack = await createSlackServer();
    await cli.configure(`platforms: { slack: { enabled: false, extra: { base_url: ${slack.url}/api/ } } }\n`);
    const setUp = (tokens: string) =>
      run(['gateway', 'setup', 'slack', '--token', '-', '--pairing'], { input: tokens });
    const { token } = slack.workspace;
    const one = await setUp(token);
    expect([one.exitCode, one.stderr]).toEqual([2, expect.stringContaining('Slack needs its app-level token')]);
    const swapped = await setUp(`${slack.appToken}\n${token}`);
    expect(swapped.stderr).toContain('A bot token starts with xoxb-');
    const wrong = await setUp(`${token}\nxapp-1-wrong-token-of-an-app`);
    expect([wrong.exitCode === 0, wrong.stdout, await savedVariables()]).toEqual([false, '', '']);
    const both = await setUp(`${token}\n${slack.appToken}\n`);
    expect([both.exitCode, both.stderr]).toEqual([0, '']);
    expect(both.stdout).toContain('hermes pairing approve slack CODE');
    expect(await savedVariables()).toBe(`SLACK_BOT_TOKEN=${token}\nSLACK_APP_TOKEN=${slack.appToken}\n`);
    expect(await readFile(join(cli.home.path, 'config.yaml'), 'utf8')).toContain('enabled: true');
  });

  it('shows the manifest of the app, as the documentation does', async () => {
    const terminal = startTerminal(cli.home, ['gateway', 'setup', 'slack']);
    await terminal.see('From a manifest');
    await terminal.see('socket_mode_enabled: true');
    await terminal.see('Slack bot token');
    terminal.type('\u0003');
    expect(await terminal.exited).not.toBe(0);
    const documented = await readFile('docs/gateway.md', 'utf8');
    const flat = (text: string) => text.replace(/\s+/g, '');
    const { manifest = '' } = findPlatform('slack').setup;
    expect(manifest).not.toBe('');
    expect(flat(documented)).toContain(flat(manifest));
  });
});

verifies(
  ['GW-20', 'GW-21'],
  'hermes gateway status shows whether the gateway works, also in its exit code',
  async () => {
    const none = await run(['gateway', 'status']);
    expect([none.exitCode, none.stdout]).toEqual([1, expect.stringContaining('No messaging platform is configured.')]);
    const ada = telegram.addUser({ firstName: 'Ada' });
    const env = { TELEGRAM_BOT_TOKEN: telegram.token, TELEGRAM_ALLOWED_USERS: String(ada.id) };
    const before = await run(['gateway', 'status'], { env });
    expect([before.exitCode, before.stdout]).toEqual([1, expect.stringContaining('The gateway is not running.')]);
    cli.server.setScript(() => ({ text: 'Hello.' }));
    telegram.send({ from: ada, text: 'hi' });
    const gateway = startHermes(['gateway', 'run'], { home: cli.home, env });
    await telegram.waitForMessages(1);
    const account = `telegram:${telegram.bot.id}`;
    const running = await run(['gateway', 'status', '--deep', '--json'], { env });
    expect([running.exitCode, running.stderr]).toEqual([0, '']);
    expect(JSON.parse(running.stdout)).toMatchObject({
      is_healthy: true,
      problems: [],
      gateway: { is_running: true, active_chats: expect.any(Number) },
      platforms: [{ platform: 'telegram', state: 'connected', account, check: { name: `@${telegram.bot.username}` } }],
      figures: { parked: 0, failed: 0 },
      process: { rss: expect.any(Number), heap_used: expect.any(Number), event_loop_delay_ms: expect.any(Number) },
      refused: { strangers: 0, unreadable_events: 0 },
      fills: expect.arrayContaining([
        { name: 'inbox', used: expect.any(Number), limit: 20_000 },
        { name: 'outbox', used: expect.any(Number), limit: 10_000 },
        { name: 'open sessions', used: expect.any(Number), limit: 300 },
        { name: `${account}: groups that moved`, used: 0, limit: 1000 },
      ]),
    });
    const shown = await run(['gateway', 'status'], { env });
    expect(shown.stdout).toMatch(new RegExp(`${account}: connected since .* UTC, last event \\d+ s ago`));
    telegram.revokeToken();
    const deep = await run(['gateway', 'status', '--deep'], { env });
    expect([deep.exitCode, deep.stdout]).toEqual([1, expect.stringContaining('Problem: telegram')]);
    expect(deep.stdout).toMatch(/Process: memory \d+ MB, heap \d+ MB, event loop delay \d+ ms \(p99\)/);
    expect(deep.stdout).toContain('Limit: inbox: 0 of 20000');
    gateway.kill('SIGTERM');
    await gateway.exited;
    expect((await run(['gateway', 'status'], { env })).stdout).toContain('Gateway: not running');
    expect(existsSync(join(cli.home.path, 'gateway.pid'))).toBe(false);
  },
);

describe('send_message in a terminal', () => {
  it('is offered if a platform is configured, and delivers by itself', async () => {
    const ada = telegram.addUser({ firstName: 'Ada' });
    telegram.send({ from: ada, text: 'hi' });
    cli.server.setScript(({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === 'tool') return { text: `Tool: ${last.text}` };
      const args = { action: 'send', target: `telegram:${ada.id}`, message: 'from a script' };
      return { toolCalls: [{ name: 'send_message', arguments: args }] };
    });
    const env = { TELEGRAM_BOT_TOKEN: telegram.token };
    const denied = await run(['-z', 'tell Ada'], { env });
    expect([denied.stdout, telegram.messages(ada.id)]).toEqual([expect.stringContaining('Not allowed'), []]);
    const allowed = await run(['-z', 'tell Ada', '--yolo'], { env });
    expect(allowed.stdout).toContain(`The message was delivered to telegram:${ada.id}.`);
    expect(telegram.messages(ada.id).map(({ text }) => text)).toEqual(['from a script']);
    const without = await run(['-z', 'tell Ada', '--yolo']);
    expect(without.stdout).toContain('send_message');
    expect(telegram.messages(ada.id)).toHaveLength(1);
  });
});
