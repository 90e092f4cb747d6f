import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { type AgentEvent, systemClock } from '../base/index.ts';
import { loadSettings } from '../config/index.ts';
import { createScriptedModel, createTemporaryHome, type ModelScript } from '../testing/index.ts';
import { redactSecrets } from '../util/index.ts';
import { createRuntime, type RuntimeOptions } from './index.ts';

async function openHome(script: ModelScript, env: Record<string, string> = {}, changes: Partial<RuntimeOptions> = {}) {
  const home = await createTemporaryHome();
  const client = createScriptedModel(script);
  const route = { provider: 'p', model: 'm', baseUrl: 'x://', apiMode: 'chat_completions', client } as const;
  const open = async () => {
    const settings = await loadSettings({ home: home.path, env: { PATH: process.env['PATH'], ...env } });
    const routes = [{ ...route, open: () => Promise.resolve({ ...route, contextLength: undefined }) }];
    return createRuntime({
      settings,
      routes,
      workingDirectory: home.workspace,
      source: 'cli',
      attended: false,
      ...changes,
    });
  };
  return { home, client, open };
}

const run = (command: string) => ({ toolCalls: [{ name: 'terminal', arguments: { command } }] });
const read = (path: string) => ({ toolCalls: [{ name: 'read_file', arguments: { path } }] });

describe('known secrets', () => {
  verifies('OBS-4', 'of .env, auth.json and the environment reach neither model, store, events nor log', async () => {
    const secrets = { file: 'fileVal-31415xyz', auth: 'authVal-27182xyz', env: 'envVal-16180xyz' };
    const { home, client, open } = await openHome([read('out.txt'), run('cat out.txt'), { text: 'done' }], {
      MY_TOKEN: secrets.env,
    });
    await writeFile(join(home.path, '.env'), `SERVICE_PASSWORD=${secrets.file}\n`);
    const pool = { openai: [{ id: 'a', access_token: secrets.auth, auth_type: 'api_key', source: 'manual' }] };
    await writeFile(join(home.path, 'auth.json'), JSON.stringify({ version: 1, credential_pool: pool }));
    const forms = Object.values(secrets).flatMap((secret) => [
      secret,
      Buffer.from(`xy${secret}zz`).toString('base64'),
      Buffer.from(secret).toString('hex'),
      [...secret].reverse().join(''),
    ]);
    await writeFile(join(home.workspace, 'out.txt'), forms.map((form) => `it says ${form} here\n`).join(''));
    const runtime = await open();
    const { agent } = await runtime.openAgent();
    const events: AgentEvent[] = [];
    const turn = agent.run({ userMessage: 'look' });
    for await (const event of turn) events.push(event);
    runtime.logger.warn('a tool said', { text: forms.join(' and ') });
    const stored = await runtime.store.getConversation(agent.sessionId);
    const { logFile } = runtime;
    await runtime.close();
    const everything = JSON.stringify([client.requests.map(({ messages }) => messages), events, stored]);
    expect(everything).toContain('it says «secret removed» here');
    expect(await readFile(logFile, 'utf8')).toContain('a tool said');
    for (const text of [everything, await readFile(logFile, 'utf8')]) {
      for (const form of forms) expect(text).not.toContain(form.slice(4, -4));
    }
    await home.remove();
  });

  verifies('OBS-4', 'are refreshed when .env or auth.json changes during a session', async () => {
    const { home, client, open } = await openHome([
      run('cat out.txt'),
      { text: 'one' },
      run('cat out.txt'),
      { text: 'two' },
    ]);
    const [variable, login] = ['laterVal-14142xyz', 'rotatedVal-17320xyz'];
    await writeFile(join(home.workspace, 'out.txt'), `a ${variable} b ${login} c\n`);
    const runtime = await open();
    const { agent } = await runtime.openAgent();
    await agent.chat('look');
    expect(JSON.stringify(client.requests.at(-1)?.messages)).toContain(variable);
    await writeFile(join(home.path, '.env'), `LATER_API_KEY=${variable}\n`);
    await writeFile(join(home.path, 'auth.json'), JSON.stringify({ tokens: { refresh_token: login } }));
    await agent.chat('look again');
    const newest = client.requests.at(-1)?.messages.at(-1);
    expect(newest).toMatchObject({
      role: 'tool',
      content: expect.stringContaining('a «secret removed» b «secret removed» c'),
    });
    expect(redactSecrets(`x ${variable} y`)).toBe('x *** y');
    await runtime.close();
    await home.remove();
  });

  verifies('OBS-4', 'are masked in context files, whose other text does not change', async () => {
    const secret = 'contextVal-22360xyz';
    const { home, client, open } = await openHome([{ text: 'ok' }], { DOCS_TOKEN: secret });
    await writeFile(join(home.workspace, 'AGENTS.md'), `Use ${secret}, and postgres://test:test1234@localhost/test.\n`);
    const runtime = await open();
    const { agent } = await runtime.openAgent();
    await agent.chat('hi');
    const prompt = JSON.stringify(client.requests[0]);
    expect(prompt).toContain('Use «secret removed», and postgres://test:test1234@localhost/test.');
    await runtime.close();
    await home.remove();
  });
});

it('measures durations with a clock that is never set back', async () => {
  let [now, passed] = [Date.now(), 0];
  const clock = { ...systemClock, now: () => (now -= 60_000), monotonic: () => (passed += 5) };
  const { home, open } = await openHome([run('true'), { text: 'ok' }], {}, { clock });
  const runtime = await open();
  const { agent } = await runtime.openAgent();
  const turn = agent.run({ userMessage: 'go' });
  const durations: number[] = [];
  for await (const event of turn) if ('durationMs' in event) durations.push(event.durationMs);
  durations.push((await turn.result).durationMs);
  expect(durations.length).toBeGreaterThanOrEqual(2);
  for (const duration of durations) expect(duration).toBeGreaterThan(0);
  await runtime.close();
  await home.remove();
});
