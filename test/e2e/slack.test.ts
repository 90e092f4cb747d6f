import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  createProviderServer,
  createSlackServer,
  createTemporaryHome,
  type ProviderServer,
  type SlackMessage,
  type SlackServer,
  startHermes,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';

function configFor(provider: ProviderServer, slack: SlackServer): string {
  return `model: { provider: custom, default: test-model, base_url: ${provider.baseUrl('chat_completions')} }
platforms: { slack: { extra: { base_url: ${slack.url}/api } } }
terminal: { backend: local }
`;
}

/** The first message of this kind; there are others, for example about tool calls. */
async function waitForMessage(slack: SlackServer, isWanted: (message: SlackMessage) => boolean): Promise<SlackMessage> {
  for (let count = 1; ; count += 1) {
    const found = (await slack.waitForMessages(count)).find(isWanted);
    if (found !== undefined) return found;
  }
}

verifies(
  ['GW-1', 'GW-16', 'OBS-4'],
  'answers direct messages and threads of two workspaces on Slack, and writes the tokens nowhere',
  async () => {
    await using slack = await createSlackServer();
    await using provider = await createProviderServer({ script: () => ({ text: 'Hello **you**.' }) });
    await using home = await createTemporaryHome({ 'config.yaml': configFor(provider, slack) });
    const second = slack.addWorkspace();
    const broken = slack.addWorkspace();
    slack.revokeToken(broken.token);
    const [ada, eve] = [slack.addUser({ name: 'Ada' }), slack.addUser({ name: 'Eve', workspace: second })];
    const team = slack.addChannel({ name: 'team' });
    // The first connection fails, so that there is something to log.
    slack.failNext('apps.connections.open', { type: 'cut' });
    slack.setDelivery({ copies: 2, order: 'shuffled' });
    slack.send({ from: ada, text: 'hi' });
    slack.send({ from: eve, text: 'hi' });
    const threadTs = slack.send({ from: ada, channel: team, text: `${slack.workspace.mention} hi` });
    const tokens = [slack.workspace.token, broken.token, second.token];
    const gateway = startHermes(['gateway', 'run'], {
      home,
      env: {
        SLACK_BOT_TOKEN: tokens.join(','),
        SLACK_APP_TOKEN: slack.appToken,
        SLACK_ALLOWED_USERS: `${ada.id},${eve.id}`,
      },
    });
    await slack.waitForMessages(3);
    // Without a mention, because the bot takes part in the thread.
    slack.send({ from: ada, channel: team, threadTs, text: 'and now?' });
    await slack.waitForMessages(4);
    const bold = { type: 'text', text: 'you', style: { bold: true } };
    for (const [channel, thread, count] of [
      [slack.directChat(ada).id, undefined, 1],
      [slack.directChat(eve).id, undefined, 1],
      [team.id, threadTs, 2],
    ] as const) {
      const messages = slack.messages(channel);
      expect(messages.map(({ text, threadTs: sentTo }) => [text, sentTo])).toEqual(
        Array.from({ length: count }, () => ['Hello you.', thread]),
      );
      expect(JSON.stringify(messages[0]?.blocks)).toContain(JSON.stringify(bold));
    }
    gateway.kill('SIGTERM');
    const { exitCode, stdout, stderr } = await gateway.exited;
    expect(exitCode).toBe(0);
    expect(stderr).toContain('slack: fatal');
    expect(slack.pendingEvents).toBe(0);
    const secrets = [...tokens, slack.appToken];
    const files = await readdir(home.path, { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile())) {
      const content = await readFile(join(file.parentPath, file.name), 'latin1');
      for (const secret of secrets) expect(content.includes(secret), file.name).toBe(false);
    }
    for (const secret of secrets) expect(stdout + stderr).not.toContain(secret);
  },
);

it('lets an admin approve a command with a button in a thread, and nobody else', fullDoseOnly, async () => {
  await using slack = await createSlackServer();
  const call = { name: 'terminal', arguments: { command: 'rm -rf some-folder' } };
  await using provider = await createProviderServer({ script: [{ toolCalls: [call] }, { text: 'Deleted.' }] });
  await using home = await createTemporaryHome({ 'config.yaml': configFor(provider, slack) });
  const [ada, eve] = [slack.addUser({ name: 'Ada' }), slack.addUser({ name: 'Eve' })];
  const channel = slack.addChannel({ name: 'team' });
  const gateway = startHermes(['gateway', 'run'], {
    home,
    env: {
      SLACK_BOT_TOKEN: slack.workspace.token,
      SLACK_APP_TOKEN: slack.appToken,
      SLACK_ALLOWED_USERS: `${ada.id},${eve.id}`,
    },
  });
  const threadTs = slack.send({ from: ada, channel, text: `${slack.workspace.mention} delete it` });
  const question = await waitForMessage(slack, ({ buttons }) => buttons.length > 0);
  expect(question).toMatchObject({ threadTs, text: expect.stringContaining('rm -rf some-folder') as string });
  const press = (from: typeof ada) =>
    slack.press({ from, channel, ts: question.ts, value: question.buttons[0]?.[0]?.['value'] as string });
  press(eve);
  for (let count = slack.calls.length; slack.ephemeral.length === 0; count += 1) await slack.waitForCalls(count + 1);
  expect(slack.ephemeral).toEqual([
    { channel: channel.id, user: eve.id, text: 'Only an admin may answer this.', threadTs },
  ]);
  expect(provider.requests).toHaveLength(1);
  press(ada);
  const answer = await waitForMessage(slack, ({ text }) => text === 'Deleted.');
  expect(answer.threadTs).toBe(threadTs);
  gateway.kill('SIGTERM');
  expect((await gateway.exited).exitCode).toBe(0);
});

verifies(['GW-31', 'GW-18'], 'replaces the stream of a killed process, and answers', fullDoseOnly, async () => {
  await using slack = await createSlackServer();
  const parts = Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ');
  let count = 0;
  await using provider = await createProviderServer({
    script: () => {
      count += 1;
      return count === 1 ? { text: parts, chunkSize: 40, delayMs: 100 } : { text: 'Here is **the answer**.' };
    },
  });
  const streaming = 'streaming: { enabled: true, edit_interval: 0.1 }\n';
  await using home = await createTemporaryHome({ 'config.yaml': configFor(provider, slack) + streaming });
  const ada = slack.addUser({ name: 'Ada' });
  const channel = slack.addChannel({ name: 'team' });
  const start = () =>
    startHermes(['gateway', 'run'], {
      home,
      env: {
        SLACK_BOT_TOKEN: slack.workspace.token,
        SLACK_APP_TOKEN: slack.appToken,
        SLACK_ALLOWED_USERS: ada.id,
      },
    });
  const first = start();
  const threadTs = slack.send({ from: ada, channel, text: `${slack.workspace.mention} tell me` });
  const appended = () => slack.calls.filter(({ method }) => method === 'chat.appendStream').length;
  for (let calls = 1; appended() < 2; calls += 1) await slack.waitForCalls(calls);
  first.kill('SIGKILL');
  await first.exited;
  const [stream] = slack.messages(channel.id);
  expect(stream).toMatchObject({ isStreaming: true, threadTs, text: expect.stringMatching(/^word0/) as string });
  const second = start();
  await waitForMessage(slack, ({ text }) => text.includes('the answer'));
  second.kill('SIGTERM');
  expect((await second.exited).exitCode).toBe(0);
  expect(slack.messages(channel.id)).toMatchObject([
    { ts: stream?.ts, text: expect.stringContaining('interrupted') as string, isStreaming: false },
    { text: 'Here is the answer.', isStreaming: false, threadTs },
  ]);
});
