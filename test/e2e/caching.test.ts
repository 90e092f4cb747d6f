import { describe, expect } from 'vitest';
import { createCacheSimulator, createProviderServer } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { jsonLines, useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();

/** A Claude model at a custom URL, with Anthropic's API unless another mode is passed. */
async function configure(url: string, more = '', mode = 'anthropic_messages'): Promise<void> {
  const model = `{ provider: custom, default: claude-test, base_url: ${url}, api_mode: ${mode}, api_key: key-1 }`;
  const facts =
    '{ claude-test: { context_length: 200000, price: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 } } }';
  const quiet = 'auxiliary: { title_generation: { enabled: false } }';
  await cli.home.write('config.yaml', `model: ${model}\nmodel_overrides: ${facts}\n${quiet}\n${more}`);
}

const cachingServer = () =>
  createProviderServer({
    cache: createCacheSimulator({ minimumTokens: 1 }),
    script: ({ messages }) => ({ text: `That was message ${messages.length}.` }),
  });

describe('prompt caching', () => {
  verifies(['CACHE-2', 'CACHE-3'], 'is announced at the start of a chat, and /usage shows its effect', async () => {
    await using server = await cachingServer();
    await configure(server.url, 'prompt_caching: { cache_ttl: 1h }\n');
    const chat = startTerminal(cli.home, []);
    await chat.see('prompt caching: on, expires 1 hour after the last use');
    await chat.see('❯ ');
    chat.type('/usage\r');
    await chat.see('There were no model calls in this session yet.');
    for (const [index, text] of ['one', 'two'].entries()) {
      chat.type(`${text}\r`);
      await chat.see(`That was message ${index * 2 + 1}.`);
      await chat.see('❯ ');
    }
    chat.type('/usage\r');
    await chat.see('last call');
    await chat.see('context: ');
    await chat.see('of 200.0k tokens');
    const shown = chat.output();
    const rates = /cache hit rate +(\d+) % +(\d+) %/.exec(shown);
    // The second call read the whole input of the first one from the cache, which is half of their total input.
    expect(Number(rates?.[1])).toBeGreaterThan(45);
    expect(Number(rates?.[2])).toBeGreaterThan(95);
    expect(shown).toMatch(/cost +\$0\.\d+ +\$0\.\d+/);
    chat.type('/quit\r');
    expect(await chat.exited).toBe(0);
    expect(server.requests[0]?.rawBody).toContain('"cache_control":{"type":"ephemeral","ttl":"1h"}');

    const show = await runHermes(['sessions', 'show', /Session (\S+) \(/.exec(chat.output())?.[1] ?? ''], {
      home: cli.home,
    });
    expect(show.stdout).toMatch(/tokens +0 in, \d+ out, \d+ cache read, \d+ cache write \(hit rate \d+ %\)/);
    const insights = await runHermes(['insights'], { home: cli.home });
    expect(insights.stdout).toMatch(/Cache misses\n +reason +calls +tokens\n +first call +1 /);
    expect(insights.stdout).toMatch(
      /model +sessions +calls +tokens +cache hits +cost\n +claude-test \(custom\).* \d+ % /,
    );
  });

  verifies('CACHE-2', 'says where cache markers are rejected, and where they have no effect', async () => {
    const refusal = { fault: { type: 'status', status: 400, message: 'cache_control is not allowed' } } as const;
    await using server = await createProviderServer({
      script: ({ rawBody }) => (rawBody.includes('cache_control') ? refusal : { text: 'Fine.' }),
    });
    await configure(`${server.url}/v1`, 'prompt_caching: { cache_ttl: auto }\n', 'chat_completions');
    const expected = 'prompt caching: on, expires 5 minutes after the last use, 1 hour after the first pause';
    for (const said of [expected, 'prompt caching: provider default, because it rejects cache markers']) {
      const chat = startTerminal(cli.home, []);
      await chat.see(said);
      await chat.see('❯ ');
      chat.type('hello\r');
      await chat.see('Fine.');
      await chat.see('❯ ');
      chat.type('/quit\r');
      expect(await chat.exited).toBe(0);
    }
    expect(server.requests.map(({ rawBody }) => rawBody.includes('cache_control'))).toEqual([true, false, false]);

    await using ignoring = await createProviderServer({ script: () => ({ text: 'Fine.' }) });
    await configure(`${ignoring.url}/v1`, '', 'chat_completions');
    const chat = startTerminal(cli.home, []);
    await chat.see('❯ ');
    for (const text of ['one', 'two']) {
      chat.type(`${text}\r`);
      await chat.see('Fine.');
      await chat.see('❯ ');
    }
    chat.type('/usage\r');
    await chat.see('custom reported no cached tokens for claude-test');
    await chat.see('`providers.custom.prompt_caching.mode: off` stops sending them.');
    chat.type('/quit\r');
    expect(await chat.exited).toBe(0);
  });

  verifies(
    ['CACHE-2', 'CACHE-3'],
    'has the hit rate of each call in the events, and the lifetime of entries in the status',
    async () => {
      await using server = await cachingServer();
      await configure(server.url);
      const run = await runHermes(['--json', '-q', 'hello'], { home: cli.home });
      const again = await runHermes(['--json', '--continue', '-q', 'and again'], { home: cli.home });
      const ratesOf = (stdout: string) =>
        jsonLines(stdout).flatMap((event) => (event['type'] === 'usage' ? [event['cache_hit_rate']] : []));
      expect(ratesOf(run.stdout)).toEqual([0]);
      // A resumed session in another process sends the same bytes, so the cache entries of the first one are used.
      expect(ratesOf(again.stdout)[0]).toBeGreaterThan(0.9);
      const missesOf = (stdout: string) => jsonLines(stdout).at(-1)?.['cache_misses'];
      expect(missesOf(run.stdout)).toEqual([{ reason: 'first_call', tokens: expect.any(Number) }]);
      expect(missesOf(again.stdout)).toEqual([]);
      const id = String(jsonLines(run.stdout).at(-1)?.['session_id']);
      const shown = await runHermes(['sessions', 'show', id, '--json'], { home: cli.home });
      const turns = (JSON.parse(shown.stdout) as { turn_usage: object[] }).turn_usage;
      expect(turns).toMatchObject([
        { calls: 1, cache_misses: [{ reason: 'first_call' }] },
        { calls: 1, cache_misses: [] },
      ]);
      const status = await runHermes(['status'], { home: cli.home });
      expect(status.stdout).toMatch(/caching +prompt caching, entries expire 5m after their last use/);
      await configure(server.url, 'prompt_caching: { cache_ttl: 10m }\n');
      const refused = await runHermes(['-q', 'hello'], { home: cli.home });
      expect(refused).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('prompt_caching.cache_ttl must be 5m, 1h or auto'),
      });
    },
  );
});
