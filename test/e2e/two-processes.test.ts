import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect } from 'vitest';
import {
  createProviderServer,
  createTemporaryHome,
  type ProviderServer,
  startHermes,
  type TemporaryHome,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { runHermes } from '../support/run-hermes.ts';

async function homeFor(server: ProviderServer): Promise<TemporaryHome> {
  const config = [
    'model:',
    '  provider: custom',
    '  default: test-model',
    `  base_url: ${server.baseUrl('chat_completions')}`,
    '  api_mode: chat_completions',
    '  api_key: test-secret',
  ];
  return createTemporaryHome({ 'config.yaml': `${config.join('\n')}\n` });
}

describe('two processes on one session', () => {
  verifies('STORE-7', 'the second one shows who holds it, and can continue afterwards', fullDoseOnly, async () => {
    const waiting = {
      toolCalls: [{ id: 'call_1', name: 'terminal', arguments: { command: 'until [ -e go ]; do sleep 0.05; done' } }],
    };
    await using server = await createProviderServer({
      script: (request) => (request.messages.at(-1)?.text.includes('wait here') ? waiting : { text: 'done' }),
    });
    await using home = await homeFor(server);
    await runHermes(['-z', 'hello'], { home });
    const first = startHermes(['--continue', '-z', 'wait here'], { home, input: '' });
    await server.waitForRequests(2);

    const second = await runHermes(['--continue', '-q', 'me too'], { home });
    expect(second).toMatchObject({ exitCode: 1, stdout: '' });
    expect(second.stderr).toMatch(/Session \S+ is in use: process \d+ on \S+ \(cli\).* since \d\d:\d\d:\d\d/);
    expect(second.stderr).toContain('Wait until that turn has ended');
    // Another session can still be started.
    expect((await runHermes(['-z', 'elsewhere'], { home })).exitCode).toBe(0);

    await writeFile(join(home.workspace, 'go'), '');
    expect((await first.exited).exitCode).toBe(0);
  });

  verifies('STORE-7', 'a suspended process that lost its lease stores nothing more', async () => {
    const waiting = {
      toolCalls: [{ id: 'call_1', name: 'terminal', arguments: { command: 'until [ -e go ]; do sleep 0.05; done' } }],
    };
    await using server = await createProviderServer({
      script: (request) => (request.messages.at(-1)?.text.includes('wait here') ? waiting : { text: 'done' }),
    });
    await using home = await homeFor(server);
    const first = startHermes(['-z', 'wait here'], { home, input: '' });
    await server.waitForRequests(1);
    const database = new DatabaseSync(join(home.path, 'state.db'), { timeout: 5000 });
    // The call is stored before it runs, so from now on only its result is missing.
    while (count(database, "FROM messages WHERE role = 'assistant'") === 0) await nextTurn();
    first.kill('SIGSTOP');
    // Simulates a process that has not renewed its lease for longer than a lease lasts.
    database.exec('UPDATE session_leases SET renewed_at = renewed_at - 3600');
    const second = await runHermes(['--continue', '-z', 'go on'], { home });
    expect(second).toMatchObject({ exitCode: 0, stdout: 'done\n' });
    const stored = () => ['messages', 'turns', 'model_calls'].map((table) => count(database, `FROM ${table}`));
    const before = stored();

    await writeFile(join(home.workspace, 'go'), '');
    first.kill('SIGCONT');
    const ended = await first.exited;
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toMatch(/Another process took session \S+ over \(process \d+ on \S+, cli\)/);
    expect(ended.stderr).toContain('Resume the session');
    expect(stored()).toEqual(before);
    database.close();
  });
});

const nextTurn = () => new Promise((resolve) => setTimeout(resolve, 5));

function count(database: DatabaseSync, from: string): number {
  return (database.prepare(`SELECT COUNT(*) AS n ${from}`).get() as { n: number }).n;
}
