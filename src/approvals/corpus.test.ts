import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { dangerousCommands, type Expected, harmlessCommands } from './corpus.fixture.ts';
import { createApprovalGuard } from './index.ts';

const guard = createApprovalGuard({ home: '/home/ann', hermesHome: '/home/ann/.hermes' });
const judge = (command: string) => guard.judgeCommand(command, '/home/ann/project');

describe('the corpus', () => {
  const judged: (Expected & Awaited<ReturnType<typeof judge>>)[] = [];
  beforeAll(async () => {
    for (const one of dangerousCommands()) judged.push({ ...one, ...(await judge(one.command)) });
  });

  verifies('APPR-1', 'no dangerous command of the corpus runs unasked', () => {
    expect(judged.length).toBeGreaterThan(1500);
    expect(judged.flatMap(({ command, verdict }) => (verdict === 'allow' ? [command] : []))).toEqual([]);
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

  verifies('APPR-2', 'what a person may want is asked about, not blocked', () => {
    const blocked = judged.filter(({ blocked: ruinous, verdict }) => !ruinous && verdict === 'block');
    expect(blocked.map(({ command }) => command)).toEqual([]);
  });

  verifies('APPR-1', 'everyday commands of the corpus run unasked', async () => {
    const commands = harmlessCommands();
    expect(commands.length).toBeGreaterThan(1500);
    const alarms: string[] = [];
    for (const command of commands) if ((await judge(command)).verdict !== 'allow') alarms.push(command);
    expect(alarms).toEqual([]);
  });

  it('names a rule and a part for everything it stops', () => {
    for (const { command, reasons } of judged) {
      expect(
        reasons.every(({ rule, matched }) => rule !== '' && matched !== ''),
        command,
      ).toBe(true);
    }
  });
});
