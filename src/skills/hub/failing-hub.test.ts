import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { startTimeOf } from '../../util/index.ts';
import { createHub, npmWith, serve, serveIndex } from '../../../test/support/skill-hub.ts';

const sound = { name: 'sound', description: 'Is found.', source: 'npm:sound' };
const fail = (text: string) => `process.stderr.write(${JSON.stringify(text)}); process.exitCode = 1;`;

/** What is said of the one catalogue that fails, while another one answers. */
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
  verifies('SURF-10', 'is told by name with what to do, and hides no other', async () => {
    for (const [npm, said] of [
      ['process.stdout.write("{");', /^npm: npm search answered with something that is no list/],
      [npmWith({ error: {} }), /^npm: npm search answered/],
      [fail('npm error code E404'), /^npm: .*cannot be searched.*skills\.search_npm: false/],
      [fail('npm error code E401'), /^npm: .*wants a login.*npm login/],
      [fail('npm error odd'), /^npm: npm search failed: npm error odd/],
    ] as const) {
      const { text, unreachable } = await failureOf(undefined, npm);
      expect([text, unreachable]).toEqual([expect.stringMatching(said), false]);
    }
    for (const code of ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ENOTCACHED']) {
      const { text, unreachable } = await failureOf(undefined, fail(`npm error code ${code}`));
      expect([text, unreachable]).toEqual([expect.stringContaining('npm: its registry was not reached'), true]);
    }
  });

  it('is one that answers with nonsense, with an error, or not encrypted', async () => {
    const url = await serve(({ url: path }, response) => {
      if (path === '/gone') response.writeHead(404).end();
      else response.end({ '/page': '<html>', '/list': '[]', '/new': '{"version":2,"skills":[]}' }[path ?? ''] ?? '{}');
    });
    expect((await failureOf(`${url}/gone`)).text).toBe(
      `${url}/gone: it answered with 404. Check the address in skills.indexes.`,
    );
    expect((await failureOf(`${url}/page`)).text).toMatch(/no index of skills: it is no JSON object.*git\+https/);
    expect((await failureOf(`${url}/list`)).text).toContain('it is no JSON object');
    expect((await failureOf(`${url}/new`)).text).toContain('its version is not 1');
    expect((await failureOf(`${url}/empty`)).text).toContain('it has no list of skills');
    expect((await failureOf('http://skills.example/index.json')).text).toContain('its address is not encrypted');
    expect((await failureOf('http://127.0.0.1:1/index.json')).unreachable).toBe(true);
    expect((await failureOf('git+ext::sh -c true')).text).toContain('no address that something is fetched from');
    expect((await failureOf('file:///nothing/at/all.git')).text).toContain('git fetch failed');
  });

  it('has no secret of its address in what is told', async () => {
    for (const address of [
      'https://me:hush@127.0.0.1:1/index.json',
      'https://127.0.0.1:1/index.json?token=hush',
      'http://me:hush@127.0.0.1:1/skills.git',
    ]) {
      expect((await failureOf(address)).text, address).not.toContain('hush');
    }
  });

  it('is one that sends more than anybody needs', async () => {
    const url = await serve((_request, response) => void response.end(Buffer.alloc(50_000_000, 32)));
    expect((await failureOf(`${url}/index.json`)).text).toContain('it has more than 8 MB');
    const endless = 'const more = () => process.stdout.write(" ".repeat(1_000_000), more); more();';
    expect((await failureOf(undefined, endless)).text).toContain('npm search printed more than 8 MB');
  }, 60_000);

  it('is one that never answers, also where it does not want to end', async () => {
    const url = await serve(() => undefined);
    expect((await failureOf(`${url}/index.json`, undefined, 2_000)).text).toContain('it did not answer within 2 s');
    const stuck = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
    expect((await failureOf(undefined, stuck, 2_000)).text).toContain('npm: it did not answer within 2 s');
  }, 60_000);

  it('is one whose program is missing', async () => {
    const hub = createHub([], '');
    hub.env.PATH = '/nonexistent';
    expect((await hub.search(['x'])).failures).toMatchObject([
      { reason: expect.stringContaining('npm is not installed') },
    ]);
  });

  it('ends with the search that the person stops, and leaves nothing behind', async () => {
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
    await expect.poll(() => processes().length, { timeout: 20_000 }).toBe(3);
    hub.stop();
    await expect(searching).rejects.toThrow('stopped');
    await expect.poll(() => readdirSync(join(hub.home, 'quarantine'))).toEqual([]);
    // Also what npm had started.
    await expect.poll(() => processes().filter((pid) => startTimeOf(pid) !== '')).toEqual([]);
  });
});
