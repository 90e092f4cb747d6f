import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { prepareInstall } from '../installing/index.ts';
import { skillText } from '../skills.fixture.ts';
import { createHub, npmWith, serve, serveIndex } from '../../../test/support/skill-hub.ts';
import { installLine } from './index.ts';

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

describe('searching the hub', () => {
  verifies('SURF-10', 'finds skills in npm and in indexes, each with the line that installs it', async () => {
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
    expect(listings.map(installLine)).toEqual([
      'hermes skills install github:team/letters',
      'hermes skills install npm:@team/letter-skill',
    ]);
    // Of an index, a listing has to have every word.
    expect((await search(['letter', 'sums'])).listings.map(({ catalogue }) => catalogue)).toEqual(['npm']);
    expect(calls.map(({ args }) => args.slice(args.indexOf('--')).join(' ')).toSorted()).toEqual([
      '-- keywords:agent-skill letter',
      '-- keywords:claude-skill letter',
      '-- keywords:hermes-skill letter',
    ]);
    // Not where a project could say which registry it is.
    for (const { cwd } of calls) expect(cwd.startsWith(join(home, 'quarantine')), project).toBe(true);
    expect(readdirSync(join(home, 'quarantine'))).toEqual([]);
  });

  verifies('SURF-10', 'finds the skills of a repository, and what it says installs them', async () => {
    const { root, home, env, put, search, project } = createHub([]);
    put('repo/writing/letters/SKILL.md', skillText('letters', 'version: 3\n'));
    put('repo/writing/notes/SKILL.md', skillText('notes'));
    put('repo/broken/SKILL.md', 'no front matter');
    commit(join(root, 'repo'));
    const hub = createHub([`file://${root}/repo#main`]);
    const { listings, notes } = await hub.search(['letters']);
    const source = `file://${root}/repo#main`;
    expect(listings).toMatchObject([{ name: 'letters', version: '3', source, path: 'writing/letters' }]);
    expect(notes).toEqual([{ catalogue: source, text: '1 of its 3 folders with a SKILL.md have no valid one' }]);
    const [found] = listings;
    expect(installLine(found as NonNullable<typeof found>)).toBe(
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

  it('finds the skills of a folder, and reads an index from a file beside the configuration', async () => {
    const hub = createHub(['team', 'index.json', 'missing.json']);
    hub.put('home/team/letters/SKILL.md', skillText('letters'));
    hub.put('home/index.json', JSON.stringify({ skills: [{ ...letters, name: 'other-letters' }] }));
    const { listings, failures } = await hub.search(['letters']);
    expect(listings).toMatchObject([
      { name: 'letters', source: join(hub.home, 'team/letters'), catalogue: 'team' },
      { name: 'other-letters', catalogue: 'index.json' },
    ]);
    expect(failures).toMatchObject([
      { catalogue: 'missing.json', reason: expect.stringContaining('there is no file or folder') },
    ]);
  });

  it('asks the registry that npm is set to', async () => {
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
  }, 60_000);

  it('shows one skill once, and says where there is more than it shows', async () => {
    const many = Array.from({ length: 30 }, (_, place) => ({ ...letters, source: `npm:letters-${place}` }));
    const [first, second] = [await serveIndex([letters, letters]), await serveIndex([letters, ...many])];
    const { listings, notes } = await createHub([`${first}/`, `${second}/`]).search(['letters']);
    expect(listings).toHaveLength(20);
    expect(notes).toEqual([{ catalogue: `${second}/`, text: 'it has 11 more; further words find less' }]);
  });
});
