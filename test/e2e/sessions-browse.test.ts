import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionStore } from '../../src/contracts/index.ts';
import { openStore } from '../../src/runtime/index.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();

const KEYS = { down: '\u001b[B', enter: '\r', escape: '\u001b', interrupt: '\u0003', erase: '\u0015' };
const SMALL = { cols: 80, rows: 24 };
/** The sequences that restore the cursor and the previous screen. */
const RESTORED = '\u001b[?25h\u001b[?1049l';

async function withStore<T>(use: (store: SessionStore) => Promise<T>): Promise<T> {
  const store = await openStore({ home: cli.home.path });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

const fill = () =>
  withStore(async (store) => {
    for (const [id, title, said] of [
      ['2026_one', 'Whales', 'how heavy is a whale'],
      ['2026_two', undefined, '为什么构建失败了'],
      ['2026_three', 'Walrus', 'where does the walrus sleep'],
    ] as const) {
      await store.createSession({ id, source: 'cli', startedAt: Date.now(), title });
      const answer = Array.from({ length: 60 }, (_, line) => `answer line ${line}`).join('\n');
      await store.appendMessages(id, [
        { role: 'user', content: said },
        { role: 'assistant', content: answer },
      ]);
    }
  });

const browse = (size = SMALL) => startTerminal(cli.home, ['sessions', 'browse'], size);

describe('sessions browse', () => {
  it('lists sessions newest first, searches while typing, and restores the terminal', async () => {
    await fill();
    const screen = browse();
    await screen.see('Walrus · where does the walrus sleep');
    await screen.see('为什么构建失败了');
    await screen.see('Whales');
    screen.type('构建');
    await screen.see('Sessions  构建▏');
    await screen.see('❯ ');
    await screen.see('为什么构建失败了');
    screen.type(KEYS.erase);
    await screen.see('all, newest first');
    screen.type('heavy');
    await screen.see('how heavy is a whale');
    screen.type(`${KEYS.erase}nowhere to be found`);
    await screen.see('No matches.');
    screen.type(KEYS.escape);
    await screen.see('all, newest first');
    screen.type(KEYS.escape);
    await screen.see(RESTORED);
    expect(await screen.exited).toBe(0);
  });

  it('shows a session page by page, exports it, renames it, and deletes it after a confirmation', async () => {
    await fill();
    const screen = browse();
    await screen.see('Walrus');
    screen.type(KEYS.enter);
    await screen.see('answer line 0');
    expect(screen.output()).not.toContain('answer line 40');
    screen.type('G');
    await screen.see('answer line 59');
    screen.type('e');
    await screen.see('2026_three.md▏');
    screen.type(KEYS.enter);
    await screen.see('Wrote ');
    expect(existsSync(join(cli.home.workspace, '2026_three.md'))).toBe(true);
    screen.type('n');
    await screen.see('Title: Walrus▏');
    screen.type(` work${KEYS.enter}`);
    await screen.see('Walrus work');
    screen.type('d');
    await screen.see('Permanently delete "Walrus work"? [y/N]');
    screen.type('n');
    await screen.see('Cancelled.');
    screen.type('d');
    await screen.see('[y/N]');
    screen.type('y');
    await screen.see('The session was deleted.');
    screen.type(KEYS.interrupt);
    await screen.see(RESTORED);
    expect(await screen.exited).toBe(0);
    expect(await withStore((store) => store.getSession('2026_three'))).toBeUndefined();
  });

  it('continues a session in a chat', async () => {
    await cli.configure();
    await fill();
    const screen = browse();
    await screen.see('Walrus');
    screen.type(KEYS.down + KEYS.enter);
    await screen.see('messages: 2');
    screen.type('r');
    await screen.see(RESTORED);
    await screen.see('Resuming 2026_two');
    screen.type('and now?\r');
    expect((await cli.server.nextRequest()).rawBody).toContain('为什么构建失败了');
    await screen.see('❯ ');
    screen.type('\u0004');
    expect(await screen.exited).toBe(0);
  });

  it('fits a narrow terminal and follows a resize', async () => {
    await fill();
    const screen = browse({ cols: 30, rows: 8 });
    await screen.see('Walrus');
    // A narrow window shows dates without the year and the keys on two lines.
    expect(screen.output()).not.toMatch(/20\d\d-\d\d-\d\d/);
    await screen.see('Esc quit');
    screen.resize(90, 20);
    await screen.see('how heavy is a whale');
    screen.type(KEYS.interrupt);
    await screen.see(RESTORED);
    expect(await screen.exited).toBe(0);
  });

  it('says what to use without a terminal, and prints the list as JSON', async () => {
    await fill();
    const { exitCode, stderr } = await runHermes(['sessions', 'browse'], { home: cli.home });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('hermes sessions list');
    const json = await runHermes(['sessions', 'browse', '--json'], { home: cli.home });
    const list = await runHermes(['sessions', 'list', '--json'], { home: cli.home });
    expect(json).toMatchObject({ exitCode: 0, stdout: list.stdout });
  });
});
