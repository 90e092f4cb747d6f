import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTemporaryHome, startHermes, type TemporaryHome } from '../../src/testing/index.ts';
import { type AcpFixture, type AgentPlan, createAcpFixture, untilGone } from '../support/acp-fixture.ts';
import { someOf } from '../support/dose.ts';
import { lastLine } from '../support/cli-fixture.ts';
import { verifies } from '../spec/verifies.ts';
import { runHermes } from '../support/run-hermes.ts';

const CONFIG = 'model:\n  provider: copilot-acp\n  base_url: acp://copilot\n';

/** A home whose model is the test agent, configured as a user would configure another Copilot. */
async function withAgent(plan: AgentPlan, test: (home: TemporaryHome, fixture: AcpFixture) => Promise<void>) {
  await using fixture = await createAcpFixture(plan);
  const args = fixture.args.map((arg) => `'${arg}'`).join(' ');
  const variables = [
    `HERMES_COPILOT_ACP_COMMAND=${fixture.command}`,
    `HERMES_COPILOT_ACP_ARGS="${args}"`,
    'COPILOT_GITHUB_TOKEN=its-own-login',
    'ANTHROPIC_API_KEY=not-for-copilot',
  ];
  const files = { 'config.yaml': CONFIG, '.env': `${variables.join('\n')}\n` };
  await using home = await createTemporaryHome(files);
  await test(home, fixture);
}

const commandFolders = () => readdirSync(tmpdir()).filter((name) => /^hermes-acp-\w{6}$/.test(name));

const reading = '<call-CODE read_file>\n{"path": "note.txt"}\n</call-CODE>';

describe('a model command', () => {
  verifies('CALL-1', 'copilot-acp: runs a task with tools from the question to the answer', async () => {
    const replies = [{ thoughts: ['hm'], text: [`I read it.\n\n${reading}`] }, { text: ['It says ', 'walrus.'] }];
    await withAgent({ replies }, async (home, fixture) => {
      await writeFile(join(home.workspace, 'note.txt'), 'the word is walrus\n');
      const env = { OPENROUTER_API_KEY: 'sk-or-not-for-copilot', GH_TOKEN: 'neither' };
      const { exitCode, stdout, stderr } = await runHermes(['--json', '-q', 'what does note.txt say?'], { home, env });
      expect(stderr).toBe('');
      expect(exitCode).toBe(0);
      expect(lastLine(stdout)).toMatchObject({ type: 'result' });
      expect(stdout).toContain('It says walrus.');
      expect(stdout).not.toContain('<call-');

      const prompts = await fixture.logged('prompt');
      expect(prompts[0]?.text).toContain('what does note.txt say?');
      expect(prompts[1]?.text).toMatch(/^\[\[\w+ result 1 read_file\]\]\n[\s\S]*the word is walrus/);
      expect(prompts[1]?.sessionId).toBe(prompts[0]?.sessionId);
      const [start] = await fixture.logged('start');
      const given = start?.env as Record<string, string>;
      expect(given['COPILOT_GITHUB_TOKEN']).toBe('its-own-login');
      expect(JSON.stringify(given)).not.toMatch(/not-for-copilot|neither/);
      expect(start?.folder).not.toContain(home.workspace);
      await untilGone(start?.pid ?? 0);
    });
  });

  it('continues a stored session in a new process with the whole history', async () => {
    const replies = [{ text: [reading] }, { text: ['One.'] }, { text: ['Two.'] }];
    await withAgent({ replies }, async (home, fixture) => {
      expect((await runHermes(['-z', 'first'], { home })).stdout).toBe('One.\n');
      expect((await runHermes(['--continue', '-z', 'second'], { home })).stdout).toBe('Two.\n');
      const prompts = await fixture.logged('prompt');
      const [first = '', second = '', third = ''] = prompts.map(({ text }) => String(text));
      expect(prompts[2]?.pid).not.toBe(prompts[0]?.pid);
      expect(third.startsWith(first)).toBe(true);
      expect(third).toContain(second);
    });
  });

  it('says what to install if the program is missing', async () => {
    await using home = await createTemporaryHome({ 'config.yaml': CONFIG });
    const { exitCode, stderr } = await runHermes(['-q', 'hello'], { home });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('The command "copilot" was not found.');
    expect(stderr).toContain('npm install -g @github/copilot');
  });

  it('says how to log in', async () => {
    const sessionError = { code: -32_000, message: 'Authentication required' };
    await withAgent({ replies: [], sessionError }, async (home) => {
      const { exitCode, stderr } = await runHermes(['-q', 'hello'], { home });
      expect(exitCode).toBe(1);
      expect(stderr).toContain('copilot login');
    });
  });

  for (const signal of someOf(['SIGKILL', 'SIGINT', 'SIGTERM'] as const, 3)) {
    it(`leaves no process behind after ${signal} in the middle of an answer`, async () => {
      const replies = [{ text: ['half an answer\nand'], hang: 'forever' as const }, { text: ['Well.'] }];
      await withAgent({ replies }, async (home, fixture) => {
        const running = startHermes(['--json', '-q', 'hello'], { home, input: '' });
        await running.waitForOutput('half an answer');
        running.kill(signal);
        await running.exited;
        await untilGone((await fixture.logged('start'))[0]?.pid ?? 0);
        expect(await readFile(join(home.path, 'config.yaml'), 'utf8')).toBe(CONFIG);
        // After SIGKILL the folder of the command is left behind, and the next process removes it.
        expect(commandFolders()).toHaveLength(signal === 'SIGKILL' ? 1 : 0);
        expect((await runHermes(['-z', 'hello'], { home })).stdout).toBe('Well.\n');
        expect(commandFolders()).toEqual([]);
      });
    });
  }
});
