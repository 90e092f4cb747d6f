import { describe, expect, it } from 'vitest';
import { type Reply, type ReceivedRequest } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { configFor, useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();
const configure = (more = '') => cli.home.write('config.yaml', configFor(cli.server) + more);
const hermes = (...args: string[]) => runHermes(args, { home: cli.home });

/** A title request has no tools; a chat request always has some. */
const isForTitle = (request: ReceivedRequest) => request.toolNames.length === 0;
const answerWith = (title: Reply) =>
  cli.server.setScript((request) => (isForTitle(request) ? title : { text: `Answer to ${request.lastUserText}.` }));

const titles = async () => {
  const { stdout } = await hermes('sessions', 'list', '--json');
  return (JSON.parse(stdout) as { title?: string }[]).map(({ title }) => title);
};

/** The next title request. */
async function nextTitleRequest(): Promise<ReceivedRequest> {
  for (;;) {
    const request = await cli.server.nextRequest();
    if (isForTitle(request)) return request;
  }
}

/** Waits until `/title` shows this title. */
async function seeTitle(chat: ReturnType<typeof startTerminal>, title: string): Promise<void> {
  while (!chat.output().includes(`The title of the session is "${title}".`)) {
    chat.type('/title\r');
    await chat.see(' session ');
    await chat.see('❯ ');
  }
}

describe('titles of sessions', () => {
  verifies('PROV-8', 'a chat gets a title after its first answer, billed to its auxiliary task', async () => {
    await configure();
    answerWith({ text: '# "Walruses\u001b[31m at sea"\nand more', usage: { input: 70, output: 7 } });
    const chat = startTerminal(cli.home, ['what is a walrus']);
    await chat.see('Answer to what is a walrus.');
    await nextTitleRequest();
    await seeTitle(chat, 'Walruses at sea');
    chat.type('again\r');
    await chat.see('Answer to again.');
    chat.type('\u0004');
    expect(await chat.exited).toBe(0);
    expect(await titles()).toEqual(['Walruses at sea']);
    expect(cli.server.requests.filter(isForTitle)).toHaveLength(1);
    const { stdout: figures } = await hermes('insights', '--json');
    expect(JSON.parse(figures)).toMatchObject({
      by_purpose: expect.arrayContaining([expect.objectContaining({ purpose: 'title_generation', calls: 1 })]),
    });
    expect((await hermes('insights')).stdout).toMatch(/Purposes[^]*title_generation +1 +1 +77 /);
  });

  verifies('PROV-8', 'neither the next answer nor the exit waits for a title', fullDoseOnly, async () => {
    await configure();
    answerWith({ fault: { type: 'stall' } });
    const chat = startTerminal(cli.home, ['chat', 'first']);
    await chat.see('Answer to first.');
    await nextTitleRequest();
    chat.type('second\r');
    await chat.see('Answer to second.');
    chat.type('\u0004');
    expect(await chat.exited).toBe(0);
    await cli.server.waitForDisconnect();
    expect(await titles()).toEqual([undefined]);
    // The title is generated when the session continues.
    answerWith({ text: 'Made later' });
    const later = startTerminal(cli.home, ['chat', 'third', '--continue']);
    await later.see('Answer to third.');
    await nextTitleRequest();
    await seeTitle(later, 'Made later');
    later.type('\u0004');
    expect(await later.exited).toBe(0);
  });

  it('a failed title is not shown', async () => {
    await configure();
    answerWith({ fault: { type: 'status', status: 400 } });
    const chat = startTerminal(cli.home, ['chat', 'first']);
    await chat.see('Answer to first.');
    await nextTitleRequest();
    chat.type('second\r');
    await chat.see('Answer to second.');
    chat.type('\u0004');
    expect(await chat.exited).toBe(0);
    expect(chat.output()).not.toMatch(/title|\b400\b/i);
    expect(await titles()).toEqual([undefined]);
  });

  it('a title of the user is kept and shown', async () => {
    await configure();
    const hold = Promise.withResolvers<void>();
    answerWith({ text: 'Made by itself', fault: { type: 'slow-headers', wait: hold.promise } });
    const chat = startTerminal(cli.home, []);
    await chat.see('❯ ');
    chat.type('/title Too early\r');
    await chat.see('starts with the first message');
    chat.type('first\r');
    await chat.see('Answer to first.');
    await nextTitleRequest();
    chat.type('/title\r');
    await chat.see('has no title yet');
    chat.type('/title My  own title\r');
    await chat.see('is now "My own title"');
    hold.resolve();
    chat.type('second\r');
    await chat.see('Answer to second.');
    chat.type('/quit\r');
    expect(await chat.exited).toBe(0);
    expect(await titles()).toEqual(['My own title']);
  });

  const oneShots: [string[], string][] = [
    [['-q', 'one'], ''],
    [['-z', 'one'], ''],
    [['--json', '-q', 'one'], ''],
    [[], 'one'],
  ];
  verifies('PROV-8', 'a one-shot answer makes only one call', async () => {
    await configure();
    answerWith({ text: 'Never asked for' });
    for (const [args, input] of oneShots) {
      expect((await runHermes(args, { home: cli.home, input })).stdout).toContain('Answer to one.');
    }
    expect(cli.server.requests).toHaveLength(oneShots.length);
    expect(new Set(await titles())).toEqual(new Set([undefined]));
  });

  it('can be disabled, and the demo generates none', fullDoseOnly, async () => {
    await configure('auxiliary:\n  title_generation:\n    enabled: false\n');
    answerWith({ text: 'Never asked for' });
    for (const args of [[], ['--provider', 'demo']]) {
      const chat = startTerminal(cli.home, args);
      const [question, answer] = args.length === 0 ? ['hello', 'Answer to hello.'] : ['list the files', '● terminal'];
      await chat.see('❯ ');
      // Several turns, so that a title for the first one would have been requested by now.
      for (let turns = 0; turns < 3; turns += 1) {
        chat.type(`${question}\r`);
        await chat.see(answer);
        await chat.see('❯ ');
      }
      chat.type('\u0004');
      expect(await chat.exited).toBe(0);
    }
    expect(cli.server.requests.filter(isForTitle)).toEqual([]);
  });
});
