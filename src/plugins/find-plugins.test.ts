import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { findAllPlugins, findEnabledPlugins } from './find-plugins.ts';
import { isAtLeast, parseMinimumVersion, readManifest } from './manifest.ts';
import { BadPlugin } from './plugin-fault.ts';
import { NO_PLUGINS, usePlugins } from './plugins.fixture.ts';

const fixture = usePlugins();
const options = (settings: object = {}, hostVersion?: string) => ({
  home: fixture.home,
  workingDirectory: fixture.project,
  hostVersion,
  settings: { ...NO_PLUGINS, ...settings },
});
const REGISTER = 'export function register() {}\n';

describe('discovery of plugins', () => {
  verifies(
    'SURF-9',
    'finds them in the home directory, in a trusted project and as packages, but uses only enabled ones',
    async () => {
      await fixture.plugin('one', 'version: 1.5\ndescription: first\n', REGISTER);
      await fixture.write('project/.hermes/plugins/two/plugin.yaml', 'name: two\n');
      await fixture.write('project/.hermes/plugins/two/index.js', REGISTER);
      await fixture.write('home/plugins/node_modules/@us/three/package.json', '{"name":"@us/three","hermes":{}}');
      await fixture.write('home/plugins/node_modules/@us/three/index.js', REGISTER);
      await fixture.write('home/plugins/context_engine/mine/index.js', '');
      const states = async (settings: object) =>
        Object.fromEntries((await findAllPlugins(options(settings))).map(({ name, state }) => [name, state]));
      expect(await states({})).toEqual({ one: 'off', two: 'off' });
      expect(await states({ enabled: ['one', 'two'] })).toEqual({ one: 'on', two: 'untrusted' });
      const all = { enabled: ['one', 'two'], trustedProjectDirs: [fixture.project], packages: ['@us/three'] };
      expect(await states(all)).toEqual({ one: 'on', two: 'on', three: 'on' });
      expect(await states({ ...all, disabled: ['one', 'three'] })).toEqual({ one: 'off', two: 'on', three: 'off' });
      const found = await findEnabledPlugins(options(all));
      expect(found.map(({ name, origin }) => [name, origin])).toEqual([
        ['one', 'user'],
        ['two', 'project'],
        ['three', 'package'],
      ]);
      expect(found[0]?.manifest).toMatchObject({ version: '1.5', description: 'first' });
      // The folder of an untrusted project is not even read.
      expect(await findEnabledPlugins(options({ enabled: ['two'] }))).toMatchObject([
        { state: 'faulty', origin: 'user', fault: { reason: 'it is enabled but not installed' } },
      ]);
    },
  );

  it('does not accept a symbolic link as the trusted project', async () => {
    await fixture.write('project/.hermes/plugins/two/plugin.yaml', 'name: two\n');
    await fixture.write('project/.hermes/plugins/two/index.js', REGISTER);
    await symlink(fixture.project, join(fixture.home, 'link'));
    const trusting = options({ enabled: ['two'], trustedProjectDirs: [join(fixture.home, 'link')] });
    expect(await findEnabledPlugins(trusting)).toMatchObject([{ name: 'two', state: 'on' }]);
    const other = await fixture.write('elsewhere/.hermes/plugins/two/plugin.yaml', 'name: two\n');
    const elsewhere = { ...trusting, workingDirectory: join(other, '../../../..') };
    expect(await findAllPlugins(elsewhere)).toMatchObject([{ name: 'two', state: 'untrusted' }]);
  });

  verifies('BOUND-2', 'skips a plugin with an invalid manifest and reports the file and the key', async () => {
    const faults: [manifest: string, reason: RegExp][] = [
      ['name: [', /plugin\.yaml is not valid YAML: the closing \] is missing/],
      ['- a', /not a mapping/],
      ['name: Ünfit', /name must be/],
      ['name: other', /the name in its manifest is other/],
      ['version: {}', /version must be a version/],
      ['description: 5', /description must be text/],
      ['provides_tools: name', /provides_tools must be a list/],
      [
        'provides_hooks: [pre_everything]',
        /provides_hooks must be a list of hook events \(pre_tool_call.*pre_everything is unknown/,
      ],
      ['requires_hermes: soon', /requires_hermes must be a version/],
      ['requires_hermes: ">=9.1"', /requires Hermes 9\.1 or newer, but this is 1\.2\.3/],
      ['module: ../../../x.js', /is outside its folder/],
      ['module: gone.js', /does not exist/],
      ['module: 5', /module must be a file name/],
    ];
    for (const [manifest, reason] of faults) {
      await fixture.write('home/plugins/bad/plugin.yaml', `${manifest}\n`);
      await fixture.write('home/plugins/bad/index.js', REGISTER);
      const [found] = await findEnabledPlugins(options({ enabled: ['bad'] }, '1.2.3'));
      expect([manifest, found?.state, found?.fault?.reason]).toEqual([
        manifest,
        'faulty',
        expect.stringMatching(reason),
      ]);
    }
    await fixture.write('home/plugins/empty/readme.txt', '');
    const [empty] = await findEnabledPlugins(options({ enabled: ['empty'] }));
    expect(empty?.fault?.reason).toContain('it has neither a plugin.yaml');
  });

  it('uses the first of two plugins with the same name', async () => {
    await fixture.plugin('dice', '', REGISTER);
    await fixture.write('home/plugins/node_modules/dice/package.json', '{"hermes":{}}');
    await fixture.write('home/plugins/node_modules/dice/index.js', REGISTER);
    expect(await findEnabledPlugins(options({ enabled: ['dice'], packages: ['dice'] }))).toMatchObject([
      { origin: 'user', state: 'on' },
      {
        origin: 'package',
        state: 'faulty',
        fault: { reason: expect.stringContaining('another plugin with the same name') },
      },
    ]);
  });

  it('reads any manifest or reports what is wrong with it', async () => {
    await fixture.write('home/plugins/any/index.js', REGISTER);
    const folder = join(fixture.home, 'plugins', 'any');
    const keys = fc.constantFrom(
      'name',
      'version',
      'module',
      'main',
      'requires_hermes',
      'provides_hooks',
      'requires_env',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.dictionary(keys, fc.jsonValue()).map((values) => JSON.stringify(values)),
          fc.string(),
        ),
        async (text) => {
          await fixture.write('home/plugins/any/plugin.yaml', text);
          const read = await readManifest(folder).catch((thrown: unknown) => thrown);
          expect(read instanceof BadPlugin || typeof (read as { name: unknown }).name === 'string').toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('versions', () => {
  it('are compared numerically', () => {
    expect(parseMinimumVersion('>= 1.2')).toBe('1.2');
    expect(parseMinimumVersion('v0.1.0')).toBe('0.1.0');
    expect(parseMinimumVersion('^1.0.0')).toBeUndefined();
    const cases: [string, string, boolean][] = [
      ['1.2.3', '1.2.3', true],
      ['1.10.0', '1.9', true],
      ['1.2.3', '1.2.4', false],
      ['2.0.0-next.1', '2', true],
      ['0.9.9', '1', false],
    ];
    for (const [version, least, fits] of cases)
      expect([version, least, isAtLeast(version, least)]).toEqual([version, least, fits]);
  });
});
