import { setImmediate as settle } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { openTestScreen } from './screen.test-helper.ts';

const UP = '\u001b[A';
const DOWN = '\u001b[B';
const ESC = '\u001b';
const ENTER = '\r';

const pushing = (...entries: string[]) => ({
  kind: 'approval' as const,
  toolName: 'terminal',
  subject: 'git push --force origin main',
  reasons: entries.map((always) => ({ rule: 'rewrite git history', matched: 'git push --force', always })),
});

/** Types keys one by one, as a user would. */
async function type(press: (key: string) => void, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    press(key);
    await settle();
  }
}

describe('an approval', () => {
  verifies('APPR-3', 'asks for a reason, which is part of the denial', async () => {
    const { screen, press, seen, look } = openTestScreen();
    for (const key of 'draft') press(key);
    await new Promise((resolve) => setTimeout(resolve, 600));
    screen.ask(pushing('git push --force *'));
    await type(press, 'w');
    expect((await look()).slice(-1)).toEqual(['why ›']);
    expect((await look()).join('\n')).toContain('Enter denies with this reason · Esc goes back');
    await type(press, ESC);
    expect((await look()).join('\n')).toContain('o once');
    expect(seen.filter(([what]) => what === 'answer')).toEqual([]);
    await type(press, 'w', ...'not on main', ENTER);
    expect(seen.at(-1)).toEqual(['answer', { kind: 'approval', answer: 'deny', reason: 'not on main' }]);
    screen.closeQuestion(pushing(), false);
    expect(await look()).toEqual(['❯ draft']);
  });

  verifies('APPR-3', 'shows the rule that "always" would save, and saves only a narrower one', async () => {
    const { screen, press, seen, look } = openTestScreen({ size: { columns: 90, rows: 20 } });
    screen.ask(pushing('git push --force *'));
    await type(press, 'a');
    expect((await look()).at(-1)).toBe('rule › git push --force *');
    await type(press, '\u0015', ...'git *', ENTER);
    await import('../../../approvals/index.ts');
    await type(press);
    expect((await look()).join('\n').replace(/\s+/g, ' ')).toContain(
      '"git *" allows more than the proposed rule (git push --force *).',
    );
    expect(seen.filter(([what]) => what === 'answer')).toEqual([]);
    await type(press, '\u0015', ...'git push --force origin *', ENTER);
    await expect
      .poll(() => seen.at(-1))
      .toEqual(['answer', { kind: 'approval', answer: 'always', entries: ['git push --force origin *'] }]);
  });

  verifies('APPR-3', 'saves no rule if Esc is pressed while it is checked', async () => {
    const { screen, press, seen, look } = openTestScreen({ size: { columns: 90, rows: 20 } });
    screen.ask(pushing('git push --force *'));
    await type(press, 'a');
    press(ENTER);
    press(ESC);
    await import('../../../approvals/index.ts');
    await settle();
    expect((await look()).join('\n')).toContain('o once');
    expect(seen.filter(([what]) => what === 'answer')).toEqual([]);
  });

  it('saves the narrowest rule there is without editing', async () => {
    const { screen, press, seen } = openTestScreen();
    screen.ask(pushing('git push --force origin main'));
    await type(press, 'a');
    expect(seen.at(-1)).toEqual(['answer', { kind: 'approval', answer: 'always' }]);
  });
});

describe('a question with choices', () => {
  const request = { kind: 'clarify' as const, question: 'Which?', choices: ['red', 'blue'] };

  it('is answered with the arrow keys and Enter', async () => {
    const { screen, press, seen, look } = openTestScreen();
    screen.ask(request);
    await type(press, DOWN);
    expect(await look()).toContain('❯ 2. blue');
    await type(press, DOWN, UP, ENTER);
    expect(seen.at(-1)).toEqual(['answer', { kind: 'clarify', text: 'blue' }]);
  });

  it('takes typed text as the answer, and no choice for Enter while the user is typing', async () => {
    const { screen, press, seen, look } = openTestScreen();
    press('x');
    screen.ask(request);
    await type(press, ENTER);
    expect(seen).toEqual([['notify', 'The model has a question']]);
    await type(press, ...'green');
    expect((await look()).filter((line) => line.startsWith('❯'))).toEqual([]);
    await type(press, ENTER);
    expect(seen.at(-1)).toEqual(['lines', 'green']);
  });

  it('shows all choices in a small window', async () => {
    const { screen, look } = openTestScreen({ size: { columns: 40, rows: 7 } });
    screen.ask({ ...request, question: Array.from({ length: 30 }, (_, line) => `line ${line}`).join('\n') });
    const shown = (await look()).join('\n');
    expect(shown).toContain('❯ 1. red');
    expect(shown).toContain('  2. blue');
  });
});

describe('a plan', () => {
  const request = {
    kind: 'clarify' as const,
    question: 'Approve this plan?',
    choices: ['Approve the plan', 'Reject the plan'],
    plan: '# Move\n\n1. first',
  };

  it('is printed, and rejected with Esc', async () => {
    const { screen, press, seen, look } = openTestScreen();
    screen.ask(request);
    const lines = await look();
    expect(lines.slice(0, 6)).toEqual(['', '── Plan ──', '', '# Move', '', '1. first']);
    expect(lines).toContain('  3. Edit the plan');
    await type(press, ESC);
    expect(seen.at(-1)).toEqual(['answer', { kind: 'clarify', text: 'Reject the plan' }]);
  });

  it('is edited in the input', async () => {
    const { screen, press, seen, look } = openTestScreen();
    screen.ask(request);
    await type(press, UP, ENTER);
    expect((await look()).slice(-4)).toEqual([
      'answer › Approve with these changes:',
      '         # Move',
      '',
      '         1. first',
    ]);
    await type(press, ...' and last', ENTER);
    expect(seen.at(-1)).toEqual(['lines', 'Approve with these changes:\n# Move\n\n1. first and last']);
  });
});
