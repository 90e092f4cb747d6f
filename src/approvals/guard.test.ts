import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../base/index.ts';
import type { ApprovalGuardOptions } from './guard.ts';
import { createApprovalGuard } from './index.ts';

function setUp(answers: ApprovalAnswer[], options: ApprovalGuardOptions = {}) {
  const guard = createApprovalGuard({ home: '/home/ann', ...options });
  const asked: Omit<ApprovalRequest, 'kind'>[] = [];
  const agent = { approvedRules: new Set<string>() };
  const interaction = {
    async approve(request: Omit<ApprovalRequest, 'kind'>) {
      asked.push(request);
      return answers.shift() ?? 'deny';
    },
    clarify: async () => undefined,
  };
  async function run(command: string) {
    const judgement = await guard.judgeCommand(command, '/home/ann/project');
    return guard.decide({ toolName: 'terminal', subject: command, judgement }, { interaction, agent });
  }
  return { guard, asked, agent, run, interaction };
}

describe('the guard', () => {
  verifies('APPR-3', 'once allows one call and asks again at the next', async () => {
    const { run, asked } = setUp(['once', 'deny']);
    expect(await run('rm -rf a')).toEqual({ allowed: true });
    expect(await run('rm -rf b')).toMatchObject({ allowed: false });
    expect(asked).toHaveLength(2);
  });

  verifies('APPR-3', 'session allows the rule for the agent that asked, and for no other', async () => {
    const { guard, run, asked, agent, interaction } = setUp(['session']);
    await run('rm -rf a');
    expect(await run('sudo rm -r b')).toEqual({ allowed: true });
    expect(asked).toHaveLength(1);
    expect([...agent.approvedRules]).toEqual(['recursive delete']);
    const judgement = await guard.judgeCommand('rm -rf c', '/tmp');
    const other = { interaction, agent: { approvedRules: new Set<string>() } };
    expect(await guard.decide({ toolName: 'terminal', subject: '', judgement }, other)).toMatchObject({
      allowed: false,
    });
  });

  verifies('APPR-3', 'always is reported once per rule and holds', async () => {
    const told: string[] = [];
    const { run, asked } = setUp(['always'], { onAlways: (rule) => told.push(rule) });
    await run('rm -rf a');
    expect(await run('rm -rf b')).toEqual({ allowed: true });
    expect(told).toEqual(['recursive delete']);
    expect(asked).toHaveLength(1);
  });

  it('asks only for the rules that are not allowed yet', async () => {
    const { run, asked } = setUp(['once'], { allowedRules: ['recursive delete'] });
    expect(await run('rm -rf a && npm publish')).toEqual({ allowed: true });
    expect(asked[0]?.reasons).toEqual([{ rule: 'publish a package', matched: 'npm publish' }]);
  });

  it('lets the answer to one question settle the next', async () => {
    const { run, asked } = setUp(['session']);
    const decisions = await Promise.all([run('rm -rf a'), run('rm -rf b')]);
    expect(decisions).toEqual([{ allowed: true }, { allowed: true }]);
    expect(asked).toHaveLength(1);
  });

  verifies('APPR-2', 'a blocked command is never put to the person', async () => {
    const { run, asked } = setUp(['always']);
    expect(await run('rm -rf /')).toMatchObject({ allowed: false, message: expect.stringContaining('Blocked') });
    expect(asked).toEqual([]);
  });

  verifies('APPR-4', 'a home that is a link is guarded under both its names', async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'hermes-guard-')));
    try {
      await mkdir(join(root, 'data/ann/keys'), { recursive: true });
      await mkdir(join(root, 'data/hermes'));
      const home = join(root, 'home');
      await symlink(join(root, 'data/ann'), home);
      await symlink(join(root, 'data/ann/keys'), join(home, '.ssh'));
      await symlink(join(root, 'data/hermes'), join(home, '.hermes'));
      const { guard } = setUp([], { home });
      const rule = (path: string) => guard.judgeWrite(join(root, path), '/project').reasons[0]?.rule;
      expect(rule('home/.bashrc')).toBe('change a shell start-up file');
      expect(rule('data/ann/.bashrc')).toBe('change a shell start-up file');
      expect(rule('data/ann/keys/config')).toBe('change ssh keys or configuration');
      expect(rule('data/hermes/config.yaml')).toBe("change the agent's own configuration");
      expect(rule('data/ann/notes.txt')).toBeUndefined();
      const fresh = setUp([], { home, hermesHome: join(home, 'not/there/yet') });
      expect(fresh.guard.judgeWrite(join(root, 'data/ann/not/there/yet/.env'), '/project').verdict).toBe('ask');
      const verdict = async (command: string) => (await guard.judgeCommand(command, '/project')).verdict;
      expect(await verdict(`rm -rf ${home}`)).toBe('block');
      expect(await verdict(`rm -rf ${root}/data/ann`)).toBe('block');
      expect(await verdict(`echo x >> ${root}/data/ann/.profile`)).toBe('ask');
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });

  verifies('APPR-4', 'both databases are guarded, and so is the folder they are in', async () => {
    const { guard } = setUp([]);
    const own = "change the agent's own configuration";
    for (const name of ['state.db', 'hermes.db', 'hermes.db-wal']) {
      expect(guard.judgeWrite(`/home/ann/.hermes/${name}`, '/project').reasons[0]?.rule, name).toBe(own);
    }
    const { reasons } = await guard.judgeCommand('mv ~/.hermes /tmp/x', '/project');
    expect(reasons).toEqual([{ rule: own, matched: 'mv ~/.hermes /tmp/x' }]);
  });

  it('protects credentials, keys, start-up files, its own configuration and the system', () => {
    const { guard } = setUp([]);
    const rule = (path: string, folder = '/home/ann/project') => guard.judgeWrite(path, folder).reasons[0]?.rule;
    expect(rule('/home/ann/.ssh/config')).toBe('change ssh keys or configuration');
    expect(rule('/home/ann/.npmrc')).toBe('change credentials');
    expect(rule('/home/ann/.bashrc')).toBe('change a shell start-up file');
    expect(rule('/home/ann/.hermes/config.yaml')).toBe("change the agent's own configuration");
    expect(rule('/etc/hosts')).toBe('change system files');
    expect(rule('/usr/local/bin/x')).toBeUndefined();
    expect(rule('/usr/src/app/x', '/usr/src/app')).toBeUndefined();
    expect(rule('/home/ann/project/.env')).toBeUndefined();
    expect(rule('/home/ann/.sshrc-notes')).toBeUndefined();
  });
});
