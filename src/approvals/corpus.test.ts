import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { someOf } from '../../test/support/dose.ts';
import { commandsThatRun, dangerousCommands, type Expected, harmlessCommands } from './corpus.fixture.ts';
import { createApprovalGuard } from './index.ts';

const guard = createApprovalGuard({ home: '/home/ann', hermesHome: '/home/ann/.hermes' });
const judge = (command: string) => guard.judgeCommand(command, '/home/ann/project');

/** In the small dose, every sixteenth command is judged. */
const NTH = 16;

describe('the corpus', () => {
  const dangerous = dangerousCommands();
  const judged: (Expected & Awaited<ReturnType<typeof judge>>)[] = [];
  beforeAll(async () => {
    for (const one of someOf(dangerous, NTH)) judged.push({ ...one, ...(await judge(one.command)) });
  }, 180_000);

  verifies('APPR-1', 'asks about or blocks every dangerous command of the corpus', () => {
    expect(dangerous.length).toBeGreaterThan(7000);
    expect(judged.length).toBeGreaterThan(400);
    expect(judged.flatMap(({ command, verdict }) => (verdict === 'allow' ? [command] : []))).toEqual([]);
  });

  verifies(
    'APPR-2',
    'blocks machine-destroying commands in every disguise of the corpus, even in mode off',
    async () => {
      const free = createApprovalGuard({ mode: 'off', home: '/home/ann', allowed: ['recursive delete', 'rm *', '*'] });
      const passed: string[] = [];
      for (const { command, blocked } of dangerous) {
        if (blocked && (await free.judgeCommand(command, '/home/ann/project')).verdict !== 'block')
          passed.push(command);
      }
      expect(passed).toEqual([]);
    },
  );

  verifies('APPR-2', 'asks about commands that a user may want, instead of blocking them', () => {
    const blocked = judged.filter(({ blocked: ruinous, verdict }) => !ruinous && verdict === 'block');
    expect(blocked.map(({ command }) => command)).toEqual([]);
  });

  verifies('APPR-1', 'allows everyday commands of the corpus without asking', async () => {
    const commands = harmlessCommands();
    expect(commands.length).toBeGreaterThan(4000);
    const alarms: string[] = [];
    for (const command of someOf(commands, NTH)) if ((await judge(command)).verdict !== 'allow') alarms.push(command);
    expect(alarms).toEqual([]);
  });

  it('knows the dangerous commands of the last list that run, because their effect is not in the command', async () => {
    const running = commandsThatRun();
    expect(running).toHaveLength(6);
    for (const command of running) expect(`${(await judge(command)).verdict}: ${command}`).toBe(`allow: ${command}`);
  });

  it('names a rule and the matched part for everything it stops', () => {
    for (const { command, reasons } of judged) {
      expect(
        reasons.every(({ rule, matched }) => rule !== '' && matched !== ''),
        command,
      ).toBe(true);
    }
  });
});
