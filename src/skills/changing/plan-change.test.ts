import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { SkillChange } from '../../contracts/index.ts';
import { createSkillHome, skillText } from '../skills.fixture.ts';

const messageOf = (task: Promise<unknown>) =>
  task.then(String, (thrown: Error & { hint?: string }) => `${thrown.message} ${thrown.hint ?? ''}`);

function open(...given: Parameters<typeof createSkillHome>) {
  const home = createSkillHome(...given);
  const change = async (wanted: SkillChange) => (await home.library.plan(wanted)).apply();
  const read = (path: string) => readFileSync(join(home.root, 'home/skills', path), 'utf8');
  return { ...home, change, read, refused: (wanted: SkillChange) => messageOf(change(wanted)) };
}

describe('changing skills', () => {
  verifies('SURF-10', 'creates, edits, patches and deletes skills, and writes and removes their files', async () => {
    const { root, change, read, names, library } = open();
    await change({ action: 'create', name: 'deploy', category: 'work', content: skillText('deploy') });
    expect(await names()).toEqual(['deploy']);
    await change({ action: 'patch', name: 'deploy', oldString: 'is done', newString: 'is done well' });
    expect(read('work/deploy/SKILL.md')).toContain('How deploy is done well.');
    await change({ action: 'edit', name: 'deploy', content: skillText('deploy', '', 'All new.') });
    expect((await library.view('deploy')).text).toContain('All new.');
    await change({ action: 'write_file', name: 'deploy', filePath: 'references/hosts.md', fileContent: 'one two' });
    await change({
      action: 'patch',
      name: 'deploy',
      filePath: 'references/hosts.md',
      oldString: 'two',
      newString: '2',
    });
    expect(read('work/deploy/references/hosts.md')).toBe('one 2');
    const removed = await change({ action: 'remove_file', name: 'deploy', filePath: 'references/hosts.md' });
    expect((await library.view('deploy')).files).toEqual([]);
    const deleted = await change({ action: 'delete', name: 'deploy' });
    expect(await names()).toEqual([]);
    // Deleted files can be restored from the trash.
    for (const [words, text] of [
      [removed, 'one 2'],
      [deleted, undefined],
    ] as const) {
      const trashed = /moved to (\S+)\.$/.exec(words)?.[1] ?? '';
      expect(existsSync(trashed)).toBe(true);
      if (text !== undefined) expect(readFileSync(trashed, 'utf8')).toBe(text);
    }
    expect(readdirSync(join(root, 'home/skills')).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  verifies('SURF-10', 'changes a copy in the user’s skills and leaves bundled skills unchanged', async () => {
    const home = createSkillHome();
    const shipped = join(home.root, 'shipped');
    home.put('shipped/coding/review/SKILL.md', skillText('review'));
    home.put('shipped/coding/review/references/a.md', 'A');
    const { change, read, refused, library } = open({}, { home: home.home, bundled: shipped });
    expect(await refused({ action: 'delete', name: 'review' })).toContain('bundled with Hermes');
    // This library uses the home directory of the other one.
    const words = await change({ action: 'patch', name: 'review', oldString: 'is done', newString: 'goes' });
    expect(words).toContain('copied to');
    expect(readFileSync(join(shipped, 'coding/review/SKILL.md'), 'utf8')).toContain('is done');
    expect((await library.view('review')).text).toContain('How review goes.');
    const { skill, files } = await library.view('review');
    expect([skill.origin, skill.category, files]).toEqual(['user', 'coding', ['references/a.md']]);
    expect(() => read('coding/review/SKILL.md')).toThrow();
    expect(await change({ action: 'delete', name: 'review' })).toContain('Deleted');
    expect((await library.view('review')).skill.origin).toBe('bundled');
  });

  it.each<[string, SkillChange, string]>([
    ['a name that leads out', { action: 'create', name: '../x', content: skillText('x') }, 'name must be'],
    [
      'a category that leads out',
      { action: 'create', name: 'x', category: '../..', content: skillText('x') },
      'category',
    ],
    ['no content', { action: 'create', name: 'x' }, 'create requires content: the whole SKILL.md'],
    ['no front matter', { action: 'create', name: 'x', content: '# x' }, 'Invalid SKILL.md'],
    ['another name inside', { action: 'create', name: 'x', content: skillText('y') }, 'but the skill is x'],
    ['a name that is taken', { action: 'create', name: 'mine', content: skillText('mine') }, 'already'],
    ['a skill that does not exist', { action: 'edit', name: 'mime', content: skillText('mime') }, 'Did you mean mine'],
    [
      'a passage that does not exist',
      { action: 'patch', name: 'mine', oldString: 'zzz', newString: '' },
      'was not found',
    ],
    ['a passage that is there twice', { action: 'patch', name: 'mine', oldString: 'mine', newString: '' }, 'times'],
    [
      'an edit that breaks it',
      { action: 'patch', name: 'mine', oldString: 'name: mine', newString: 'x: y' },
      'Invalid SKILL.md',
    ],
    [
      'a file elsewhere',
      { action: 'write_file', name: 'mine', filePath: 'x.md', fileContent: '' },
      'must be inside references',
    ],
    [
      'a file that leads out',
      { action: 'write_file', name: 'mine', filePath: 'scripts/../../x', fileContent: '' },
      'not a valid path',
    ],
    [
      'SKILL.md as a file',
      { action: 'write_file', name: 'mine', filePath: 'SKILL.md', fileContent: '' },
      'must be inside',
    ],
    [
      'a file through a link',
      { action: 'write_file', name: 'mine', filePath: 'assets/x.md', fileContent: 'y' },
      'is outside the skill',
    ],
    [
      'a link itself',
      { action: 'write_file', name: 'mine', filePath: 'scripts/out', fileContent: 'y' },
      'is outside the skill',
    ],
    [
      'too large a file',
      { action: 'write_file', name: 'mine', filePath: 'scripts/a', fileContent: 'x'.repeat(1_100_000) },
      'exceeds the maximum',
    ],
    ['bytes', { action: 'write_file', name: 'mine', filePath: 'scripts/a', fileContent: 'a\0' }, 'NUL'],
    ['a file that does not exist', { action: 'remove_file', name: 'mine', filePath: 'scripts/none' }, 'File not found'],
    ['one that is pinned', { action: 'delete', name: 'pinned' }, 'pinned'],
    [
      'into one that does not exist',
      { action: 'delete', name: 'mine', absorbedInto: 'nobody' },
      'Skill not found: "nobody"',
    ],
    [
      'invisible orders',
      { action: 'create', name: 'x', content: skillText('x', '', `a${String.fromCodePoint(0xe0041)}`) },
      'rejected by the injection scan',
    ],
  ])('rejects %s and changes nothing', async (_, wanted, reason) => {
    const { root, put, refused, names } = open();
    put('home/skills/mine/SKILL.md', skillText('mine'));
    put('home/skills/pinned/SKILL.md', skillText('pinned', 'metadata: {hermes: {pinned: true}}\n'));
    put('outside/x', '');
    put('home/skills/mine/scripts/keep', '');
    symlinkSync(join(root, 'outside'), join(root, 'home/skills/mine/assets'));
    symlinkSync(join(root, 'outside/x'), join(root, 'home/skills/mine/scripts/out'));
    const before = readFileSync(join(root, 'home/skills/mine/SKILL.md'), 'utf8');
    expect(await refused(wanted)).toContain(reason);
    expect(await names()).toEqual(['mine', 'pinned']);
    expect(readFileSync(join(root, 'home/skills/mine/SKILL.md'), 'utf8')).toBe(before);
    expect(readdirSync(join(root, 'outside'))).toEqual(['x']);
    expect(readFileSync(join(root, 'outside/x'), 'utf8')).toBe('');
  });

  it('does not overwrite a concurrent change', async () => {
    const { put, library, read } = open();
    put('home/skills/mine/SKILL.md', skillText('mine'));
    const planned = await library.plan({ action: 'patch', name: 'mine', oldString: 'How', newString: 'Why' });
    put('home/skills/mine/SKILL.md', skillText('mine', '', 'By hand.'));
    expect(await messageOf(planned.apply())).toContain('changed concurrently');
    expect(read('mine/SKILL.md')).toContain('By hand.');
  });

  it('does not change project skills', async () => {
    const first = createSkillHome();
    const { refused } = open({ trustedProjectDirs: [first.project] }, { workingDirectory: first.project });
    first.put('project/.hermes/skills/build/SKILL.md', skillText('build'));
    expect(await refused({ action: 'edit', name: 'build', content: skillText('build') })).toContain('file tools');
  });

  it('gives the reasons for approval if the settings require it', async () => {
    const content = skillText('x', '', 'Run sudo systemctl restart nginx');
    const doubtsOf = async (settings: Parameters<typeof createSkillHome>[0]) =>
      (await open(settings).library.plan({ action: 'create', name: 'x', content })).approvalReasons;
    expect(await doubtsOf({})).toEqual([]);
    expect(await doubtsOf({ writeApproval: true })).toEqual([{ rule: 'changes of skills', matched: 'create x' }]);
    expect(await doubtsOf({ guardAgentCreated: true })).toEqual([
      { rule: 'suspect skill', matched: 'SKILL.md:7 requires root' },
    ]);
  });
});
