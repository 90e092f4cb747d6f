import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openHub, searchHub } from '../../src/skills/hub/index.ts';
import { createSkillHome } from '../../src/skills/skills.fixture.ts';
import { safeFetch } from '../../src/tools/safe-fetch/index.ts';

/** A home with a skill hub. `npm` is the body of a program that replaces npm and can use `args`. */
export function createHub(indexes: readonly string[] = [], npm?: string) {
  const home = createSkillHome();
  const { root, put } = home;
  const env = { HOME: root, PATH: `${join(root, 'bin')}${delimiter}${process.env['PATH']}` };
  const called = join(root, 'npm-calls');
  if (npm !== undefined) {
    const record = `require('node:fs').appendFileSync(${JSON.stringify(called)}, JSON.stringify({ args, cwd: process.cwd() }) + '\\n');`;
    const program = `#!${process.execPath}\nconst args = process.argv.slice(2);\n${record}\n${npm}\n`;
    chmodSync(put('bin/npm', program), 0o755);
    // Files next to it are CommonJS, whatever the parent folders say.
    put('bin/package.json', '{}');
  }
  const fetchIndex = (url: string, options: { signal: AbortSignal; maxBytes: number }) =>
    safeFetch(url, { ...options, allowLoopback: true });
  const controller = new AbortController();
  const settings = { indexes, searchNpm: npm !== undefined };
  const search = (words: readonly string[], timeoutMs = 20_000) =>
    searchHub(openHub({ home: home.home, env, settings, fetchIndex }), words, {
      home: home.home,
      signal: controller.signal,
      timeoutMs,
    });
  const npmCalls = () =>
    (existsSync(called) ? readFileSync(called, 'utf8') : '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { args: string[]; cwd: string });
  return { ...home, env, search, npmCalls, stop: () => controller.abort(new Error('stopped')) };
}

/** A fake npm that answers every search with these packages. */
export const npmWith = (packages: unknown): string =>
  `process.stdout.write(${JSON.stringify(JSON.stringify(packages))});`;

/** The URL of a server for one test. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The URL of an index with these skills. */
export const serveIndex = (skills: readonly unknown[]) =>
  serve((_request, response) => void response.end(JSON.stringify({ version: 1, skills })));
