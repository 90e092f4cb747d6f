import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isNewer } from '../../src/surfaces/cli/update/update.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';

const cli = useCliFixture();
/** The usual case: HERMES_HOME is not set, and `~/.hermes` is used. */
const hermes = (args: string[], env: Record<string, string> = {}) =>
  runHermes(args, { home: cli.home, env: { HERMES_HOME: '', ...env } });
const homeOf = async (args: string[] = [], env: Record<string, string> = {}) =>
  (await hermes([...args, 'config', 'path'], env)).stdout.trim().replace(/\/config\.yaml$/, '');
const profile = (name: string) => join(cli.home.path, 'profiles', name);

describe('hermes profile', () => {
  verifies('SURF-2', 'each profile is a separate home, selected by option, by variable or permanently', async () => {
    expect(await homeOf()).toBe(cli.home.path);
    expect((await hermes(['profile', 'create', 'work'])).stdout).toContain(
      `Created the profile work in ${profile('work')}`,
    );
    expect((await stat(profile('work'))).mode & 0o777).toBe(0o700);
    await hermes(['profile', 'create', 'play']);
    expect(await homeOf(['-p', 'work'])).toBe(profile('work'));
    expect(await homeOf([], { HERMES_PROFILE: 'work' })).toBe(profile('work'));
    expect(await homeOf(['--profile', 'play'], { HERMES_PROFILE: 'work' })).toBe(profile('play'));
    expect((await hermes(['profile', 'use', 'work'])).stdout).toContain('The default profile is now work');
    expect(await homeOf()).toBe(profile('work'));
    expect(await homeOf(['-p', 'default'])).toBe(cli.home.path);
    const named = await hermes(['profile', 'use', 'work'], { HERMES_HOME: cli.home.path });
    expect(named.stderr).toContain('while HERMES_HOME is set');
    // HERMES_HOME takes precedence.
    expect(await homeOf([], { HERMES_HOME: join(cli.home.path, 'other') })).toBe(join(cli.home.path, 'other'));
    const { stdout } = await hermes(['profile', 'list']);
    expect(stdout).toMatch(/^ {2}default .*\n {2}play .*\n\* work .*\n$/);
    await hermes(['profile', 'use', 'default']);
    expect(await homeOf()).toBe(cli.home.path);
  });

  it('separates sessions and settings', async () => {
    await cli.configure();
    await cli.home.write('SOUL.md', 'You are Ada.');
    expect((await hermes(['profile', 'create', 'work', '--clone'])).stdout).toContain('config.yaml, SOUL.md');
    cli.server.setScript(() => ({ text: 'fine' }));
    expect((await hermes(['-p', 'work', '-z', 'only here'])).stdout).toBe('fine\n');
    expect((await hermes(['chat', '-p', 'work', '-z', 'here too'])).stdout).toBe('fine\n');
    expect((await hermes(['-p', 'work', 'sessions', 'search', 'only'])).stdout).toContain('only');
    expect(existsSync(join(cli.home.path, 'state.db'))).toBe(false);
    await hermes(['-p', 'work', 'config', 'set', 'agent.max_turns', '3']);
    expect((await hermes(['config', 'get', 'agent.max_turns'])).stdout).toBe('90\n');
    expect((await hermes(['profile', 'show', 'work'])).stdout).toMatch(/model +custom\/test-model\nsessions +\d/);
  });

  verifies('BOUND-2', 'suggests a similar name for an unknown profile, and creates nothing', async () => {
    await hermes(['profile', 'create', 'work']);
    const faults: [args: string[], message: RegExp][] = [
      [['-p', 'wrok', 'status'], /no profile "wrok"[^]*Did you mean work\?/],
      [['-p', '../x', 'status'], /"\.\.\/x" is not a valid profile name/],
      [['profile', 'create', 'Bad Name'], /is not a valid profile name/],
      [['profile', 'create', 'work'], /already/],
      [['profile', 'use', 'nobody'], /no profile "nobody"/],
      [['profile', 'delete', 'default'], /cannot be deleted/],
      [['profile', 'delete', 'work'], /--yes/],
    ];
    for (const [args, message] of faults) {
      expect(await hermes(args), args.join(' ')).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(message) });
    }
    expect(await readdir(join(cli.home.path, 'profiles'))).toEqual(['work']);
  });

  it('moves a deleted profile to the trash and no longer uses it', async () => {
    await hermes(['profile', 'create', 'work']);
    await cli.home.write('profiles/work/.env', 'A=1\n');
    await hermes(['profile', 'use', 'work']);
    const { stdout } = await hermes(['profile', 'delete', 'work', '--yes']);
    const kept = /it was moved to (\S+)\.\s/.exec(stdout)?.[1] ?? '';
    expect([existsSync(profile('work')), existsSync(join(kept, '.env'))]).toEqual([false, true]);
    expect(await homeOf()).toBe(cli.home.path);
  });
});

describe('hermes update', () => {
  async function startRegistry(
    answer: (path: string) => [status: number, body: object],
  ): Promise<{ url: string; asked: string[] }> {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      const [status, body] = answer(request.url ?? '');
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
  }
  const packument = (version: string) => ({
    name: 'hermes-agent-ts',
    'dist-tags': { latest: version },
    versions: { [version]: { name: 'hermes-agent-ts', version, dist: { tarball: 'http://127.0.0.1/x.tgz' } } },
  });
  // npm keeps a compile cache in the temporary folder.
  const check = (url: string) => hermes(['update', '--check'], { npm_config_registry: url, TMPDIR: cli.home.userHome });

  verifies('SURF-2', "asks the user's registry, and only when it should", fullDoseOnly, async () => {
    const registry = await startRegistry(() => [200, packument('99.1.0')]);
    expect((await hermes(['update'], { npm_config_registry: registry.url })).stdout).toContain('Update with: ');
    expect(registry.asked).toEqual([]);
    expect(await check(registry.url)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('99.1.0 is available'),
    });
    expect(registry.asked).toEqual(['/hermes-agent-ts']);
    const old = await startRegistry(() => [200, packument('0.0.1')]);
    expect((await check(old.url)).stdout).toContain('no newer version is available');
  });

  it('reports that the latest version is unknown', fullDoseOnly, async () => {
    const empty = await startRegistry(() => [404, { error: 'Not found' }]);
    expect(await check(empty.url)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('no package "hermes-agent-ts"'),
    });
    expect(await check('http://127.0.0.1:9/')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('the latest version is unknown'),
    });
  });

  it('compares versions', () => {
    expect([isNewer('1.2.10', '1.2.9'), isNewer('2.0.0', '1.9.9'), isNewer('1.0.0', '1.0.0-beta')]).toEqual([
      true,
      true,
      true,
    ]);
    expect([isNewer('1.2.9', '1.2.10'), isNewer('1.0.0', '1.0.0'), isNewer('1.0.0-beta', '1.0.0')]).toEqual([
      false,
      false,
      false,
    ]);
  });
});
