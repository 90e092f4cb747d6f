import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { fullDoseOnly } from '../../../test/support/dose.ts';
import { processStartTime } from '../../util/index.ts';
import { createHub, npmWith, serve, serveIndex } from '../../../test/support/skill-hub.ts';

const sound = { name: 'sound', description: 'Is found.', source: 'npm:sound' };
const fail = (text: string) => `process.stderr.write(${JSON.stringify(text)}); process.exitCode = 1;`;

/** The failure of one catalogue while another one answers. */
async function failureOf(index: string | undefined, npm?: string, timeoutMs?: number) {
  const good = await serveIndex([sound]);
  const hub = createHub([...(index === undefined ? [] : [index]), `${good}/good.json`], npm);
  const { listings, failures } = await hub.search(['found'], timeoutMs);
  expect(listings).toMatchObject([{ name: 'sound', catalogue: `${good}/good.json` }]);
  expect(failures).toHaveLength(1);
  const [{ catalogue, reason, hint, unreachable } = { catalogue: '', reason: '', hint: '', unreachable: false }] =
    failures;
  return { text: `${catalogue}: ${reason}. ${hint ?? ''}`, unreachable };
}

describe('a catalogue that fails', () => {
  verifies('SURF-10', 'is reported by name with a hint, and the others are still searched', fullDoseOnly, async () => {
    for (const [npm, said] of [
      ['process.stdout.write("{");', /^npm: npm search did not return a list/],
      [npmWith({ error: {} }), /^npm: npm search did not return/],
      [fail('npm error code E404'), /^npm: .*does not support searching.*skills\.search_npm: false/],
      [fail('npm error code E401'), /^npm: .*requires a login.*npm login/],
      [fail('npm error odd'), /^npm: npm search failed: npm error odd/],
    ] as const) {
      const { text, unreachable } = await failureOf(undefined, npm);
      expect([text, unreachable]).toEqual([expect.stringMatching(said), false]);
    }
    for (const code of ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ENOTCACHED']) {
      const { text, unreachable } = await failureOf(undefined, fail(`npm error code ${code}`));
      expect([text, unreachable]).toEqual([expect.stringContaining('npm: its registry is unreachable'), true]);
    }
  });

  it('may return nonsense or an error, or have an unencrypted URL', async () => {
    const url = await serve(({ url: path }, response) => {
      if (path === '/gone') response.writeHead(404).end();
      else response.end({ '/page': '<html>', '/list': '[]', '/new': '{"version":2,"skills":[]}' }[path ?? ''] ?? '{}');
    });
    expect((await failureOf(`${url}/gone`)).text).toBe(
      `${url}/gone: it responded with HTTP 404. Check the URL in skills.indexes.`,
    );
    expect((await failureOf(`${url}/page`)).text).toMatch(
      /it is not a skill index: it is not a JSON object.*git\+https/,
    );
    expect((await failureOf(`${url}/list`)).text).toContain('it is not a JSON object');
    expect((await failureOf(`${url}/new`)).text).toContain('its version is not supported');
    expect((await failureOf(`${url}/empty`)).text).toContain('it has no list `skills`');
    expect((await failureOf('http://skills.example/index.json')).text).toContain('its URL is not encrypted');
    expect((await failureOf('http://127.0.0.1:1/index.json')).unreachable).toBe(true);
    expect((await failureOf('git+ext::sh -c true')).text).toContain('nor a supported URL');
    expect((await failureOf('file:///nothing/at/all.git')).text).toContain('git fetch failed');
  });

  it('is reported without secrets in its URL', async () => {
    for (const address of [
      'https://me:hush@127.0.0.1:1/index.json',
      'https://127.0.0.1:1/index.json?token=hush',
      'http://me:hush@127.0.0.1:1/skills.git',
    ]) {
      expect((await failureOf(address)).text, address).not.toContain('hush');
    }
  });

  it('may send too much data', fullDoseOnly, async () => {
    const url = await serve((_request, response) => void response.end(Buffer.alloc(50_000_000, 32)));
    expect((await failureOf(`${url}/index.json`)).text).toContain('it is larger than 8 MB');
    const endless = 'const more = () => process.stdout.write(" ".repeat(1_000_000), more); more();';
    expect((await failureOf(undefined, endless)).text).toContain('npm search printed more than 8 MB');
  });

  it('may never answer, even if it ignores the signal', async () => {
    const url = await serve(() => undefined);
    expect((await failureOf(`${url}/index.json`, undefined, 300)).text).toContain('timed out after 1 s');
    const stuck = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
    expect((await failureOf(undefined, stuck, 1_000)).text).toContain('npm: timed out after 1 s');
  });

  it('may need a program that is not installed', async () => {
    const hub = createHub([], '');
    hub.env.PATH = '/nonexistent';
    expect((await hub.search(['x'])).failures).toMatchObject([
      { reason: expect.stringContaining('npm is required to download this') },
    ]);
  });

  it('is stopped when the user cancels the search, and leaves nothing behind', async () => {
    const arrived = Promise.withResolvers<void>();
    const url = await serve(() => arrived.resolve());
    const started = "const { pid } = require('node:child_process').spawn('sleep', ['600']);";
    const noted = "require('node:fs').writeFileSync(`${process.env.HOME}/${pid}.pid`, '');";
    const hub = createHub([`${url}/index.json`], `${started} ${noted} setInterval(() => {}, 1000);`);
    const processes = () =>
      readdirSync(hub.root)
        .filter((name) => name.endsWith('.pid'))
        .map((name) => parseInt(name, 10));
    const searching = hub.search(['x']);
    await arrived.promise;
    await expect.poll(() => processes().length).toBe(3);
    hub.stop();
    await expect(searching).rejects.toThrow('stopped');
    await expect.poll(() => readdirSync(join(hub.home, 'quarantine'))).toEqual([]);
    // The child processes of npm are killed too.
    await expect.poll(() => processes().filter((pid) => processStartTime(pid) !== '')).toEqual([]);
  });
});
