import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createProviderServer, createSlackServer, createTemporaryHome, startHermes } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';

verifies(
  ['GW-1', 'GW-16', 'OBS-4'],
  'answers direct messages and threads of two workspaces on Slack, and writes the tokens nowhere',
  async () => {
    await using slack = await createSlackServer();
    await using provider = await createProviderServer({ script: () => ({ text: 'Hello **you**.' }) });
    await using home = await createTemporaryHome({
      'config.yaml': `model: { provider: custom, default: test-model, base_url: ${provider.baseUrl('chat_completions')} }
platforms: { slack: { extra: { base_url: ${slack.url}/api } } }
`,
    });
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
