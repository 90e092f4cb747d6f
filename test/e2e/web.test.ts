import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createWebServer, makePdf } from '../../src/toolbox/web/web-server.fixture.ts';
import { verifies } from '../spec/verifies.ts';
import { jsonLines, useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';

const cli = useCliFixture();
const hermes = (args: string[]) => runHermes(args, { home: cli.home });

async function callOnce(name: string, args: Record<string, unknown>): Promise<{ status: string; content: string }> {
  cli.server.setScript([{ toolCalls: [{ name, arguments: JSON.stringify(args) }] }, { text: 'done' }]);
  const { stdout } = await hermes(['--json', '-q', 'go']);
  return jsonLines(stdout).find(({ type }) => type === 'tool-finished') as { status: string; content: string };
}

const site = () =>
  createWebServer(({ url }, response) => {
    if (url.pathname === '/paper') response.end(makePdf(['Words of a paper']));
    else if (url.pathname === '/search') response.end('{"results":[{"title":"Found","url":"https://found.example/"}]}');
    else response.setHeader('content-type', 'text/html').end(`<title>Long</title><p>${'word '.repeat(5000)}</p>`);
  });

describe('the web on the command line', () => {
  verifies('TOOL-5', 'reads a page and a PDF file, and saves the full text of a long one', async () => {
    await using server = await site();
    await cli.configure('security: { allow_private_urls: true }\n');
    const urls = [`${server.url}/paper`, `${server.url}/long`];
    const { status, content } = await callOnce('web_extract', { urls, char_limit: 1000 });
    expect([status, content]).toEqual(['ok', expect.stringContaining('Words of a paper')]);
    const file = /The full text is in (\S+);/.exec(content)?.[1] ?? '';
    expect((await readFile(file, 'utf8')).length).toBeGreaterThan(20_000);
  });

  it('uses the configured search service, and offers no search without one', async () => {
    await using server = await site();
    expect((await hermes(['tools', 'list'])).stdout).toMatch(/web_search.*no search service is configured/);
    await cli.configure(`web: { search_backend: searxng, search_url: "${server.url}" }\n`);
    expect((await callOnce('web_search', { query: 'x' })).content).toContain('1. Found\n   https://found.example/');
  });
});
