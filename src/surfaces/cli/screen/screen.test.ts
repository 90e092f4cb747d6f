import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resultWith } from '../../../../test/support/run-result.ts';
import { verifies } from '../../../../test/spec/verifies.ts';
import type { AgentEvent, ApprovalRequest } from '../../../base/index.ts';
import { openTestScreen } from './screen.test-helper.ts';
import { waitUntil } from '../../../../test/support/wait-until.ts';

const APPROVAL: ApprovalRequest = {
  kind: 'approval',
  toolName: 'terminal',
  subject: 'rm -rf build',
  reasons: [{ rule: 'recursive delete', matched: 'rm -rf build' }],
};
const facts = { contextLength: async () => 1000, verbosity: () => 'normal' as const };
/** Longer than the pause between two keys of a word. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 600));
const settle = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('typing', () => {
  it('is drawn at the bottom and sent with Enter; the chat echoes what was sent', async () => {
    const { screen, press, look, seen, terminal } = openTestScreen();
    screen.print('hello\nthere\n');
    for (const key of 'hi you') press(key);
    expect(await look()).toEqual(['hello', 'there', '', '❯ hi you']);
    expect(await terminal.cursor()).toEqual({ row: 3, column: 8 });
    press('\r');
    screen.echo('hi you');
    expect(seen).toEqual([
      ['lines', 'hi you'],
      ['typed', 'hi you'],
    ]);
    expect(await look()).toEqual(['hello', 'there', '', '❯ hi you', '', '❯']);
  });

  it.each([
    ['Ctrl-J', '\n'],
    ['Shift+Enter', '\u001b[13;2u'],
    ['Alt+Enter', '\u001b\r'],
  ])('inserts a new line with %s', async (_, key) => {
    const { press, look, seen } = openTestScreen();
    for (const part of ['a', key, 'b']) press(part);
    expect(await look()).toEqual(['❯ a', '  b']);
    press('\r');
    expect(seen).toEqual([['lines', 'a\nb']]);
  });

  it('collapses a paste of 5,000 lines and sends all of it', async () => {
    const { press, look, seen } = openTestScreen();
    const pasted = Array.from({ length: 5000 }, (_, index) => `line ${index}`).join('\n');
    press(`\u001b[200~${pasted}\u001b[201~`);
    expect(await look()).toEqual(['❯ [paste #1 +5000 lines]']);
    press('\r');
    expect(seen).toEqual([['lines', pasted]]);
  });

  it('shows typed lines that look like a border of the editor', async () => {
    const { press, look, seen } = openTestScreen();
    press('\u001b[200~┌──┐\n──── a rule\nbelow it\u001b[201~');
    expect(await look()).toEqual(['❯ ┌──┐', '  ──── a rule', '  below it']);
    press('\r');
    expect(seen).toEqual([['lines', '┌──┐\n──── a rule\nbelow it']]);
  });

  it('never passes control characters to the terminal, whatever the source of the text', async () => {
    const hostile = 'a\u001b]52;c;eA==\u0007\u001b[2Jb\u009d0;title\u009c\u0000c';
    const { press, look, screen, terminal } = openTestScreen({
      history: { load: () => [hostile], add: () => undefined },
    });
    press('\u001b[A');
    expect(await look()).toEqual(['❯ ab0;titlec']);
    press('\u0003');
    screen.prompt('❯ ', hostile);
    expect(await look()).toEqual(['❯ ab0;titlec']);
    press('\u0003');
    press(`\u001b[200~${hostile}\u001b[201~`);
    await look();
    // oxlint-disable-next-line no-control-regex
    expect(terminal.bytes()).not.toMatch(/\u001b\]|\u001b\[2J|[\u0000\u0080-\u009f]/);
  });

  it('stays below lines that are printed meanwhile, also in a narrow window', async () => {
    const { screen, press, look, resize } = openTestScreen();
    for (const key of '漢字 and more') press(key);
    screen.print('later\n');
    expect(await look()).toEqual(['later', '', '❯ 漢字 and more']);
    resize(20, 10);
    screen.print('later still\n');
    expect(await look()).toEqual(['later', 'later still', '', '❯ 漢字 and more']);
  });
});

describe('a turn', () => {
  it('prints finished parts, draws unfinished ones, and stops the spinner at the end', async () => {
    const { screen, look } = openTestScreen();
    const view = screen.beginTurn(facts);
    const events: AgentEvent[] = [
      { type: 'thinking-started' },
      { type: 'text-delta', text: 'First line.\nSecond' },
      { type: 'tool-started', callId: '1', name: 'terminal', arguments: '{"command":"ls"}' },
    ];
    for (const event of events) view.show(event);
    expect((await look()).slice(0, 2)).toEqual(['First line.', 'Second']);
    expect((await look())[3]).toMatch(/^○ terminal {2}ls/);
    expect((await look()).join('\n')).toContain('terminal 0s');
    view.show({ type: 'tool-finished', callId: '1', name: 'terminal', status: 'ok', content: 'x', durationMs: 100 });
    view.show({ type: 'text-delta', text: 'Done.' });
    view.finish(resultWith({ finalResponse: 'Done.' }));
    const lines = await look();
    // Different kinds of text are separated by blank lines.
    expect(lines.toSpliced(3, 1)).toEqual(['First line.', 'Second', '', '', 'Done.', '', '❯']);
    expect(lines[3]).toContain('● terminal  ls  ✓ 0.1s');
  });

  verifies(
    'LOOP-7',
    'keeps the visible text of an interrupted answer, but not text that is written again',
    async () => {
      for (const again of [true, false]) {
        const { screen, look } = openTestScreen();
        const view = screen.beginTurn(facts);
        view.show({ type: 'thinking-started' });
        view.show({ type: 'text-delta', text: 'half an ans' });
        view.show({ type: 'answer-discarded', reason: 'a stall' });
        if (again) view.show({ type: 'thinking-started' });
        if (again) view.show({ type: 'text-delta', text: 'A whole answer.' });
        view.finish(resultWith({ finalResponse: again ? 'A whole answer.' : '', interrupted: !again }));
        expect(await look()).toEqual([again ? 'A whole answer.' : 'half an ans', '', '❯']);
      }
    },
  );

  it('shows the usage in the status line', async () => {
    const { screen, look } = openTestScreen();
    const view = screen.beginTurn(facts);
    await settle();
    const usage = { input: 100, output: 20, cacheRead: 80, cacheWrite: 0, reasoning: 0 };
    const cost = { usd: 0.5, status: 'actual' as const };
    view.show({ type: 'usage', usage, cost, contextTokens: 250, cacheHitRate: 0.44 });
    view.finish(resultWith({ finalResponse: '' }));
    expect((await look()).at(-2)?.trim()).toBe('200 tokens · 25% of window · $0.50 · cache 44%');
    screen.resetFigures('context');
    expect((await look()).at(-2)?.trim()).toBe('200 tokens · $0.50 · cache 44%');
    screen.resetFigures('session');
    expect(await look()).toEqual(['❯']);
  });

  verifies('LOOP-7', 'Esc and Ctrl-C interrupt the turn and keep the typed text', async () => {
    const { screen, press, seen, look } = openTestScreen();
    const view = screen.beginTurn(facts);
    for (const key of 'half') press(key);
    press('\u001b');
    press('\u0003');
    expect(seen).toEqual([
      ['stop', undefined],
      ['interrupt', ''],
    ]);
    view.finish(resultWith({ interrupted: true }));
    expect(await look()).toEqual(['❯ half']);
  });

  verifies('LOOP-8', 'Enter steers the turn, Alt+Enter queues a line, and ↑ edits the queued line', async () => {
    const { screen, press, seen, look } = openTestScreen();
    screen.beginTurn(facts);
    for (const key of ['a', '\r', 'b', '\u001b\r']) press(key);
    expect(seen).toEqual([
      ['lines', 'a'],
      ['lines', 'b', 'queue'],
    ]);
    screen.showSteered('a');
    screen.showQueued(['b']);
    const lines = (await look()).join('\n');
    expect(lines).toContain('↪ next step: a');
    expect(lines).toContain('» queued (↑ to edit): b');
    press('\u001b[A');
    screen.showQueued([]);
    expect((await look()).at(-1)).toBe('❯ edited again');
    screen.endTurn();
  });

  it('shows the diff of a file that a call changed', async () => {
    const { screen, look } = openTestScreen();
    const view = screen.beginTurn(facts);
    view.show({ type: 'tool-started', callId: '1', name: 'patch', arguments: '{"path":"a.txt"}' });
    const change = { path: 'a.txt', added: 1, removed: 1, diff: '@@ -1 +1 @@\n-old words\n+new words\n' };
    view.show({ type: 'file-changed', callId: '1', ...change });
    view.show({ type: 'tool-finished', callId: '1', name: 'patch', status: 'ok', content: 'done', durationMs: 1 });
    view.finish(resultWith({ finalResponse: '' }));
    const lines = (await look()).join('\n');
    expect(lines).toMatch(/● patch {2}a\.txt.*\n.*-.*old words\n.*\+.*new words/s);
  });

  it('draws running subagents below their call, and prints one line when each has ended', async () => {
    const { screen, look } = openTestScreen();
    const view = screen.beginTurn(facts);
    const tell = (task: number, event: Extract<AgentEvent, { type: 'subagent' }>['event']) =>
      view.show({ type: 'subagent', callId: '1', task, sessionId: `s${task}`, event });
    const tasks = [{ goal: 'count the files' }, { goal: 'read the \u001b[2Jnotes' }];
    view.show({ type: 'tool-started', callId: '1', name: 'delegate_task', arguments: JSON.stringify({ tasks }) });
    view.show({ type: 'tool-progress', callId: '1', text: '[1] not said twice' });
    tell(2, { type: 'thinking-started' });
    tell(1, { type: 'tool-started', callId: 'same', name: 'terminal', arguments: '{"command":"ls | wc -l"}' });
    expect((await look()).slice(0, 3)).toEqual([
      '○ delegate_task  2 tasks',
      '  ○ 1 count the files › terminal ls | wc -l',
      '  ○ 2 read the ␛[2Jnotes › thinking',
    ]);
    tell(1, { type: 'tool-finished', callId: 'same', name: 'terminal', status: 'ok', content: '7', durationMs: 5 });
    tell(2, { type: 'warning', message: 'odd' });
    tell(2, { type: 'ended', exitReason: 'max_iterations', apiCalls: 3, toolCalls: 1, durationMs: 2000 });
    const both = await look();
    expect(both.slice(0, 2)).toEqual(['  2 › ! odd', '  ● 2 read the ␛[2Jnotes 1 call ✗ max iterations 2.0s']);
    expect(both.slice(2, 4)).toEqual(['○ delegate_task  2 tasks', '  ○ 1 count the files › thinking']);
    tell(1, { type: 'ended', exitReason: 'completed', apiCalls: 3, toolCalls: 2, durationMs: 4000 });
    view.show({
      type: 'tool-finished',
      callId: '1',
      name: 'delegate_task',
      status: 'ok',
      content: '',
      durationMs: 4100,
    });
    view.finish(resultWith({ finalResponse: '' }));
    const lines = await look();
    expect(lines[2]).toBe('  ● 1 count the files 2 calls ✓ 4.0s');
    expect(lines[3]).toMatch(/^● delegate_task {2}2 tasks {2}✓ 4\.1s/);
    expect(lines.join('\n')).not.toMatch(/○|not said twice/);
  });

  it('counts the usage of subagents, and hides their activity when calls are hidden', async () => {
    const { screen, look } = openTestScreen();
    const view = screen.beginTurn({ ...facts, verbosity: () => 'quiet' as const });
    view.show({ type: 'tool-started', callId: '1', name: 'delegate_task', arguments: '{}' });
    const usage = { input: 1200, output: 300, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    const cost = { usd: 0.25, status: 'actual', source: 'provider' } as const;
    const news = { type: 'subagent', callId: '1', task: 1, sessionId: 's' } as const;
    view.show({ ...news, event: { type: 'usage', usage, cost, contextTokens: 900 } });
    view.show({ ...news, event: { type: 'ended', exitReason: 'failed', apiCalls: 1, toolCalls: 0, durationMs: 1 } });
    const drawn = (await look()).join('\n');
    expect(drawn).not.toContain('failed');
    // The tokens of a subagent do not count towards the agent's window of 1,000 tokens.
    expect(drawn).toMatch(/1\.5k/);
    expect(drawn).not.toContain('%');
    expect(drawn).toContain('$0.25');
    view.finish(resultWith({ finalResponse: '' }));
  });

  it('shows the whole result of the last call with Ctrl-O', async () => {
    const { screen, press, look } = openTestScreen();
    const view = screen.beginTurn(facts);
    view.show({ type: 'tool-started', callId: '1', name: 'terminal', arguments: '{}' });
    const content = 'one\u001b[2J\ntwo';
    view.show({ type: 'tool-finished', callId: '1', name: 'terminal', status: 'ok', content, durationMs: 1 });
    view.finish(resultWith({ finalResponse: '' }));
    press('\u000f');
    const lines = await look();
    expect(lines.filter((line) => line.startsWith('● terminal'))).toHaveLength(2);
    expect(lines.slice(-4)).toEqual(['  one', '  two', '', '❯']);
  });
});

describe('an approval', () => {
  verifies('APPR-3', 'accepts only a single letter', async () => {
    const { screen, press, seen, look } = openTestScreen();
    for (const key of 'typed before') press(key);
    await pause();
    screen.ask(APPROVAL);
    const drawn = (await look()).join('\n');
    expect(drawn).toContain('reason: recursive delete (rm -rf build)');
    expect(drawn).toContain('o once · s session · a always · d or Esc deny · w say why');
    expect(drawn).toContain('denied automatically in 60 s');
    expect(drawn).not.toContain('typed before');
    for (const keys of [['\r'], ['\n'], [' '], ['y'], ['o', 's'], ['\u001b[200~o\u001b[201~'], ['x', 'o']]) {
      for (const key of keys) press(key);
      await settle();
    }
    expect(seen).toEqual([['notify', 'Approval required']]);
    press('o');
    await settle();
    expect(seen.at(-1)).toEqual(['answer', { kind: 'approval', answer: 'once' }]);
    screen.closeQuestion(APPROVAL, false);
    expect(await look()).toEqual(['❯ typed before']);
  });

  verifies('APPR-3', 'does not treat keys as answers while the user is typing, until a pause', async () => {
    const { screen, press, seen, look } = openTestScreen();
    screen.beginTurn(facts);
    press('g');
    screen.ask(APPROVAL);
    for (const key of ['o', 'o', 's', '\r', '\u001b\r']) {
      press(key);
      await settle();
    }
    expect((await look()).join('\n')).toContain('pause for half a second to answer');
    await pause();
    expect((await look()).join('\n')).toContain('o once');
    expect(seen).toEqual([['notify', 'Approval required']]);
    press('d');
    await settle();
    expect(seen.at(-1)).toEqual(['answer', { kind: 'approval', answer: 'deny' }]);
    screen.closeQuestion(APPROVAL, false);
    expect((await look()).at(-1)).toBe('❯ goos');
    screen.endTurn();
  });

  verifies('APPR-3', 'a held key answers only one question', async () => {
    const { screen, press, seen, look } = openTestScreen();
    for (const subject of ['rm -rf one', 'rm -rf two']) {
      screen.ask({ ...APPROVAL, subject });
      for (let times = 0; times < 3; times += 1) {
        press('o');
        await settle();
      }
      screen.closeQuestion(APPROVAL, false);
    }
    expect(seen.filter(([what]) => what === 'answer')).toHaveLength(1);
    expect(await look()).toEqual(['❯']);
  });

  verifies('APPR-3', 'hides nothing of the command in an escape sequence', async () => {
    const { screen, press, look, terminal } = openTestScreen();
    const subject = 'echo \u001b]0;\ntouch hidden\u0007 && rm -rf build';
    screen.ask({ ...APPROVAL, subject });
    const drawn = await look();
    expect(drawn).toEqual(expect.arrayContaining(['  │ echo ␛]0;', '  │ touch hidden␇ && rm -rf build']));
    press('\u000f');
    expect(await look()).toEqual(expect.arrayContaining(['  │ echo ␛]0;', '  │ touch hidden␇ && rm -rf build']));
    expect(terminal.bytes()).not.toContain('\u001b]');
  });

  verifies('APPR-3', 'cannot be imitated by the command, the match or the offer', async () => {
    const imitations = [
      '! terminal needs your approval:',
      '  reason: harmless (ls)',
      '  o once · s session · a always · d or Esc deny · w say why',
      '  denied automatically in 60 s',
      '    … 3 more lines; Ctrl-O shows all',
      '❯',
      '  │ ls',
    ];
    const breaks = [
      '\n',
      '\r',
      '\r\n',
      '\u2028',
      '\u0085',
      '\u000b',
      '\n\n\n',
      ' '.repeat(70),
      '\u001b[1A\u001b[2K',
      '\u202e',
      '\u200b',
    ];
    const piece = fc.constantFrom(...imitations, ...breaks, 'rm -rf build', '日本', '\t', 'x'.repeat(100));
    const text = fc.array(piece, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));
    const own =
      /^(?:! terminal needs your approval:|  reason: recursive|  o once|  "always" would|  denied automatically)/;
    await fc.assert(
      fc.asyncProperty(text, text, text, async (subject, matched, always) => {
        const { screen, look } = openTestScreen({ size: { columns: 70, rows: 200 } });
        screen.ask({
          kind: 'approval',
          toolName: 'terminal',
          subject,
          reasons: [{ rule: 'recursive', matched, always }],
        });
        const rows = await look();
        const unmarked = rows.filter((row) => !/^  [│┊]/.test(row));
        expect(unmarked.map((row) => own.exec(row)?.[0])).toEqual([
          '! terminal needs your approval:',
          '  reason: recursive',
          '  o once',
          '  "always" would',
          '  denied automatically',
        ]);
        expect(rows.join('')).not.toMatch(/[\u2028\u202e\u200b\u0085]/);
        screen.close();
      }),
      { numRuns: 30 },
    );
  });

  verifies(
    'APPR-3',
    'shows the subject and the keys in a window of any height, however long the reasons are',
    async () => {
      const matched = Array.from({ length: 40 }, (_, index) => `part ${index} of the match`).join('\n');
      for (const rows of [3, 5, 8, 16]) {
        const { screen, look } = openTestScreen({ size: { columns: 60, rows } });
        screen.beginTurn(facts);
        screen.ask({ ...APPROVAL, reasons: [{ rule: 'recursive delete', matched }] });
        const drawn = (await look()).slice(-rows).join('\n');
        expect(drawn).toContain('rm -rf build');
        expect(drawn).toContain('o once');
        screen.endTurn();
      }
    },
  );

  it('takes precedence over a history search, and receives Esc instead of a completion list', async () => {
    const { screen, press, seen } = openTestScreen();
    screen.setCompletions({ commands: async () => [{ value: 'new' }], completeArgument: async () => [] });
    press('/');
    await settle();
    press('\u0012');
    screen.ask(APPROVAL);
    await pause();
    press('\u001b');
    expect(seen.at(-1)).toEqual(['answer', { kind: 'approval', answer: 'deny' }]);
    screen.closeQuestion(APPROVAL, false);
    // The first Esc closes the completion list.
    for (let times = 0; times < 2; times += 1) press('\u001b');
    expect(seen.at(-1)).toEqual(['stop', undefined]);
  });

  it('says that an unanswered request was denied', async () => {
    const { screen, look } = openTestScreen();
    screen.ask(APPROVAL);
    screen.closeQuestion(APPROVAL, true);
    expect(await look()).toEqual(['No answer, so the request was denied.', '', '❯']);
  });
});

it('restores a draft after a clarify question is answered', async () => {
  const { screen, press, seen, look } = openTestScreen();
  for (const key of 'draft') press(key);
  const request = { kind: 'clarify' as const, question: 'Which?', choices: ['red', 'blue'] };
  screen.ask(request);
  const keys = '  ↑ ↓ and Enter choose · or type your own answer';
  expect(await look()).toEqual(['Which?', '❯ 1. red', '  2. blue', keys, '', 'answer ›']);
  for (const key of ['2', '\r']) press(key);
  expect(seen.at(-1)).toEqual(['answer', { kind: 'clarify', text: 'blue' }]);
  screen.closeQuestion(request, false);
  expect(await look()).toEqual(['❯ draft']);
});

it('attaches the image in the clipboard with Ctrl-V, or for the empty paste of some terminals', () => {
  const { screen, press, seen } = openTestScreen();
  press('\u0016');
  press('\u001b[200~\u001b[201~');
  expect(seen).toEqual([
    ['paste image', false],
    ['paste image', true],
  ]);
  screen.ask(APPROVAL);
  press('\u0016');
  expect(seen.filter(([what]) => what === 'paste image')).toHaveLength(2);
});

it('leaves with Ctrl-D only if the input is empty', async () => {
  const { press, seen } = openTestScreen();
  for (const key of ['x', '\u0004', '\u007f', '\u0004']) press(key);
  expect(seen).toEqual([['end', undefined]]);
});

describe('the input history', () => {
  it('is browsed with ↑, including earlier chats', async () => {
    const { screen, press, look } = openTestScreen();
    await settle();
    screen.echo('just now');
    press('\u001b[A');
    expect((await look()).at(-1)).toBe('❯ just now');
    press('\u001b[A');
    expect((await look()).at(-1)).toBe('❯ newer line');
  });

  it('is searched with Ctrl-R, and the entry can be edited before it is sent', async () => {
    const { press, look, seen } = openTestScreen();
    await settle();
    for (const key of ['\u0012', 'l', 'i', 'n']) press(key);
    expect(await look()).toEqual(['❯ newer line', 'search: lin']);
    press('\u0012');
    expect(await look()).toEqual(['❯ older line', 'search: lin']);
    press('\r');
    expect(await look()).toEqual(['❯ older line']);
    press('!');
    press('\r');
    expect(seen.at(-1)).toEqual(['lines', 'older line!']);
    for (const key of ['x', '\u0012', 'q', 'q', '\u001b']) press(key);
    expect((await look()).at(-1)).toBe('❯ x');
  });
});

it('attaches a pasted or dropped file, and treats any other paste as text', async () => {
  const { press, look, seen } = openTestScreen();
  for (const text of ['/there/a picture.png ', '/nowhere/b.jpg', '/there/notes.txt'])
    press(`\u001b[200~${text}\u001b[201~`);
  await settle();
  expect(seen).toEqual([
    ['file', '/there/a picture.png'],
    ['file', '/nowhere/b.jpg'],
  ]);
  expect(await look()).toEqual(['❯ /there/notes.txt /nowhere/b.jpg']);
});

describe('the external editor', () => {
  it.each([
    ['Ctrl-G', ['\u0007']],
    ['Ctrl-X Ctrl-E', ['\u0018', '\u0005']],
  ])('opens with %s', async (_, keys) => {
    const { press, look } = openTestScreen({
      env: { NO_COLOR: '1', EDITOR: 'printf "and more\\n" >>', PATH: process.env['PATH'] },
    });
    for (const key of ['a', '\n', ...keys]) press(key);
    await waitUntil(async () => expect(await look()).toEqual(['❯ a', '  and more']));
  });

  it('opens only once, however often the key is pressed', async () => {
    const { press, look } = openTestScreen({
      env: { NO_COLOR: '1', EDITOR: 'printf "and more\\n" >>', PATH: process.env['PATH'] },
    });
    for (const key of ['a', '\n', '\u0007', '\u0007']) press(key);
    await waitUntil(async () => expect(await look()).toEqual(['❯ a', '  and more']));
  });

  it('reports an error if no editor is configured', async () => {
    const { press, look } = openTestScreen();
    for (const key of ['a', '\u0007']) press(key);
    expect(await look()).toEqual([
      '✗ No editor is configured: neither VISUAL nor EDITOR is set.',
      '  Set one of them, for example: EDITOR=nano hermes',
      '',
      '❯ a',
    ]);
  });
});

it('sends a command as typed when the completion list is outdated', async () => {
  const { screen, press, look, seen } = openTestScreen();
  screen.setCompletions({
    commands: async () => [{ value: 'new' }, { value: 'help' }],
    completeArgument: async () => [],
  });
  press('/');
  expect((await look()).join('\n')).toContain('→ new');
  for (const key of ['h', 'e', 'l', 'p', '\r']) press(key);
  expect(seen).toEqual([['lines', '/help']]);
  press('/');
  press('h');
  expect((await look()).join('\n')).toContain('→ help');
  press('\r');
  expect(seen.at(-1)).toEqual(['lines', '/h']);
});

it('stashes the typed text when a command asks a question', async () => {
  const { screen, press, look, seen } = openTestScreen();
  for (const key of 'y but') press(key);
  screen.clearInput();
  screen.prompt('Roll back? y/n › ');
  expect(await look()).toEqual(['Roll back? y/n ›']);
  press('\r');
  expect(seen).toEqual([['lines', '']]);
  screen.prompt('❯ ');
  expect(await look()).toEqual(['❯ y but']);
});

it('renders the answer of a background turn as Markdown, and draws a line for each running job', async () => {
  const { screen, look } = openTestScreen();
  screen.printAnswer('**Done**: see\n\n- `a.ts`\n');
  screen.showJobs([{ id: 'turn-1', title: 'look for\nlinks', startedAt: Date.now() - 65_500 }]);
  const shown = (await look()).join('\n');
  expect(shown).toContain('Done: see');
  expect(shown).not.toContain('**');
  expect(shown).toContain('◷ turn-1  look for links  1m 05s');
  screen.showJobs([]);
  expect((await look()).join('\n')).not.toContain('turn-1');
});
