import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { dangerousCommands, harmlessCommands } from './corpus.fixture.ts';
import { createApprovalGuard } from './index.ts';

const guard = createApprovalGuard({ home: '/home/ann', hermesHome: '/home/ann/.hermes' });
const verdictOf = async (command: string) => (await guard.judgeCommand(command, '/home/ann/project')).verdict;

describe('the corpus', () => {
  verifies('APPR-1', 'no dangerous command of the corpus runs unasked', async () => {
    const commands = dangerousCommands();
    expect(commands.length).toBeGreaterThan(1500);
    const missed: string[] = [];
    for (const { command } of commands) if ((await verdictOf(command)) === 'allow') missed.push(command);
    expect(missed).toEqual([]);
  });

  verifies(
    'APPR-2',
    'what would ruin the machine is blocked in every disguise of the corpus, with every question off',
    async () => {
      const free = createApprovalGuard({ mode: 'off', home: '/home/ann', allowed: ['recursive delete', 'rm *', '*'] });
      const passed: string[] = [];
      for (const { command, blocked } of dangerousCommands()) {
        if (blocked && (await free.judgeCommand(command, '/home/ann/project')).verdict !== 'block')
          passed.push(command);
      }
      expect(passed).toEqual([]);
    },
  );

  verifies('APPR-2', 'what a person may want is asked about, not blocked', async () => {
    const blocked: string[] = [];
    for (const { command, blocked: ruinous } of dangerousCommands())
      if (!ruinous && (await verdictOf(command)) === 'block') blocked.push(command);
    expect(blocked).toEqual([]);
  });

  verifies('APPR-1', 'everyday commands of the corpus run unasked', async () => {
    const commands = harmlessCommands();
    expect(commands.length).toBeGreaterThan(1500);
    const alarms: string[] = [];
    for (const command of commands) if ((await verdictOf(command)) !== 'allow') alarms.push(command);
    expect(alarms).toEqual([]);
  });

  it('names a rule and a part for everything it stops', async () => {
    for (const { command } of dangerousCommands()) {
      const { reasons } = await guard.judgeCommand(command, '/home/ann/project');
      expect(
        reasons.every(({ rule, matched }) => rule !== '' && matched !== ''),
        command,
      ).toBe(true);
    }
  });
});
