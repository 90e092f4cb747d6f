import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { prepareInstall } from '../installing/index.ts';
import { skillText } from '../skills.fixture.ts';
import { createHub, npmWith, serve, serveIndex } from '../../../test/support/skill-hub.ts';
import { installCommand } from './index.ts';
import { fullDoseOnly } from '../../../test/support/dose.ts';

const letters = { name: 'letters', description: 'Write letters.', source: 'github:team/letters', version: '2.1' };
const PACKAGE = {
  name: '@team/letter-skill',
  version: '1.0.0',
  description: 'Letters and envelopes.',
  keywords: ['Agent-Skill', 'mail'],
};

function commit(folder: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: folder });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'first');
}

describe('searching the skill hub', () => {
  verifies('SURF-10', 'finds skills in npm and in indexes, each with its install command', async () => {
    const url = await serveIndex([letters, { ...letters, name: 'numbers', description: 'Sums.', source: 'npm:sums' }]);
    const { home, search, npmCalls, project } = createHub([`${url}/index.json`], npmWith([PACKAGE]));
    const { listings, notes, failures } = await search(['letter']);
    expect([notes, failures]).toEqual([[], []]);
    expect(listings).toEqual([
      { ...letters, catalogue: `${url}/index.json`, trust: 'community', installed: false },
      {
        name: '@team/letter-skill',
        version: '1.0.0',
        description: 'Letters and envelopes.',
        source: 'npm:@team/letter-skill',
        catalogue: 'npm',
        trust: 'community',
        installed: false,
      },
    ]);
    const calls = npmCalls();
    expect(listings.map(installCommand)).toEqual([
      'hermes skills install github:team/letters',
      'hermes skills install npm:@team/letter-skill',
    ]);
    // A listing of an index must contain every word.
    expect((await search(['letter', 'sums'])).listings.map(({ catalogue }) => catalogue)).toEqual(['npm']);
    expect(calls.map(({ args }) => args.slice(args.indexOf('--')).join(' ')).toSorted()).toEqual([
      '-- keywords:agent-skill letter',
      '-- keywords:claude-skill letter',
      '-- keywords:hermes-skill letter',
    ]);
    // npm does not run in the project, which could configure another registry.
    for (const { cwd } of calls) expect(cwd.startsWith(join(home, 'quarantine')), project).toBe(true);
    expect(readdirSync(join(home, 'quarantine'))).toEqual([]);
  });

  verifies('SURF-10', 'finds skills in a repository, and their install command works', async () => {
    const { root, home, env, put, search, project } = createHub([]);
    put('repo/writing/letters/SKILL.md', skillText('letters', 'version: 3\n'));
    put('repo/writing/notes/SKILL.md', skillText('notes'));
    put('repo/broken/SKILL.md', 'no front matter');
    commit(join(root, 'repo'));
    const hub = createHub([`file://${root}/repo#main`]);
    const { listings, notes } = await hub.search(['letters']);
    const source = `file://${root}/repo#main`;
    expect(listings).toMatchObject([{ name: 'letters', version: '3', source, path: 'writing/letters' }]);
    expect(notes).toEqual([{ catalogue: source, text: '1 of its 3 SKILL.md files are invalid' }]);
    const [found] = listings;
    expect(installCommand(found as NonNullable<typeof found>)).toBe(
      `hermes skills install ${source} --path writing/letters`,
    );
    const { signal } = new AbortController();
    const request = { home: hub.home, workingDirectory: project, env, signal };
    const candidate = await prepareInstall({ ...request, source, path: 'writing/letters' });
    await candidate.accept();
    expect((await hub.search(['letters'])).listings).toMatchObject([{ name: 'letters', installed: true }]);
    expect((await hub.search(['notes'])).listings).toMatchObject([{ name: 'notes', installed: false }]);
    expect((await search(['letters'])).listings, home).toEqual([]);
  });

  it('finds skills in a folder, and reads an index file relative to the configuration', async () => {
    const hub = createHub(['team', 'index.json', 'missing.json']);
    hub.put('home/team/letters/SKILL.md', skillText('letters'));
    hub.put('home/index.json', JSON.stringify({ skills: [{ ...letters, name: 'other-letters' }] }));
    const { listings, failures } = await hub.search(['letters']);
    expect(listings).toMatchObject([
      { name: 'letters', source: join(hub.home, 'team/letters'), catalogue: 'team' },
      { name: 'other-letters', catalogue: 'index.json' },
    ]);
    expect(failures).toMatchObject([{ catalogue: 'missing.json', reason: expect.stringContaining('does not exist') }]);
  });

  it('uses the registry that npm is configured for', fullDoseOnly, async () => {
    const asked: string[] = [];
    const registry = await serve((request, response) => {
      asked.push(decodeURIComponent(request.url ?? ''));
      const unrelated = { ...PACKAGE, name: 'letter-library', keywords: ['mail'] };
      const objects = [PACKAGE, unrelated].map((found) => {
        return { package: { maintainers: [], date: '2026-01-01', links: {}, ...found }, score: {} };
      });
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ objects, total: 2 }));
    });
    const hub = createHub([], '');
    execFileSync('rm', ['-r', join(hub.root, 'bin')]);
    hub.put('.npmrc', `registry=${registry}/\n`);
    const { listings, failures } = await hub.search(['letter']);
    expect(failures).toEqual([]);
    expect(listings.map(({ source }) => source)).toEqual(['npm:@team/letter-skill']);
    expect(asked.some((url) => url.includes('text=keywords:agent-skill+letter'))).toBe(true);
  });

  it('lists each skill once and says if results were omitted', async () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ ...letters, source: `npm:letters-${index}` }));
    const [first, second] = [await serveIndex([letters, letters]), await serveIndex([letters, ...many])];
    const { listings, notes } = await createHub([`${first}/`, `${second}/`]).search(['letters']);
    expect(listings).toHaveLength(20);
    expect(notes).toEqual([
      { catalogue: `${second}/`, text: '11 more results omitted; add words to narrow the search' },
    ]);
  });
});
