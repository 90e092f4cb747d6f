import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { SkillSettings } from '../config/index.ts';
import { readSkillSettings } from '../config/skill-settings.ts';
import { createSkillLibrary } from '../skills/index.ts';
import { createToolFixture, errorOf, type ToolFixtureOptions } from './tools.fixture.ts';

const text = (name: string, description = `What ${name} is for.`, more = '') =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n# ${name}\n\nSteps of ${name}.\n`;

/** The tools with a skill library whose home directory the fixture creates. */
async function open(settings: Partial<SkillSettings> = {}, options: ToolFixtureOptions = {}) {
  const services: NonNullable<ToolFixtureOptions['set']>['services'] = {};
  const fixture = await createToolFixture({ ...options, set: { services } });
  const home = join(fixture.home, '.hermes');
  const library = createSkillLibrary({
    home,
    workingDirectory: fixture.folder,
    variables: {},
    bundled: undefined,
    settings: { ...readSkillSettings(undefined), ...settings },
  });
  services.skills = {
    ...library,
    needs: async () => ({ toolNames: await fixture.tools.names(), toolsets: ['skills'] }),
  };
  const skill = (path: string, content: string) => {
    mkdirSync(dirname(join(home, 'skills', path)), { recursive: true });
    writeFileSync(join(home, 'skills', path), content);
  };
  return Object.assign(fixture, { skill, file: (path: string) => readFileSync(join(home, 'skills', path), 'utf8') });
}

describe('skills_list', () => {
  verifies('PROMPT-5', 'lists usable skills with full descriptions, filtered by category and words', async () => {
    await using fixture = await open();
    fixture.skill('work/deploy/SKILL.md', text('deploy', `Publishes the site ${'and more '.repeat(12)}to the end.`));
    fixture.skill('notes/SKILL.md', text('notes'));
    fixture.skill('useless/SKILL.md', text('useless', 'x', 'metadata: {hermes: {requires_tools: [none]}}\n'));
    expect((await fixture.run('skills_list')).content).toMatch(
      /^general:\n- notes: What notes is for\.\nwork:\n- deploy: .*to the end\.$/,
    );
    expect((await fixture.run('skills_list', { category: 'work' })).content).not.toContain('notes');
    expect((await fixture.run('skills_list', { query: 'SITE publishes' })).content).toContain('deploy');
    expect((await fixture.run('skills_list', { query: 'walrus' })).content).toBe(
      'No skill matches. There are 2 skills in the categories general, work.',
    );
  });
});

describe('skill_view', () => {
  verifies('PROMPT-5', 'reads a skill and its files, and says who wrote them', async () => {
    await using fixture = await open();
    fixture.skill('deploy/SKILL.md', text('deploy', 'x', 'metadata: {hermes: {related_skills: [notes]}}\n'));
    fixture.skill('deploy/references/hosts.md', 'one');
    const { content } = await fixture.run('skill_view', { name: 'deploy' });
    expect(content).toMatch(
      /^Skill deploy, directory .*\nFiles .*: references\/hosts\.md\nRelated skills: notes\n\n# deploy/,
    );
    expect(content).not.toContain('third-party content');
    expect((await fixture.run('skill_view', { name: 'deploy', file_path: 'references/hosts.md' })).content).toBe('one');
    fixture.skill(
      '.lock.json',
      JSON.stringify({ skills: { deploy: { source: 'https://example.com/x.git', files: {} } } }),
    );
    expect((await fixture.run('skill_view', { name: 'deploy' })).content).toContain(
      'This skill is third-party content (https://example.com/x.git)',
    );
  });

  it('answers failures with advice', async () => {
    await using fixture = await open();
    fixture.skill('deploy/SKILL.md', text('deploy'));
    expect(errorOf(await fixture.run('skill_view', { name: 'deplo' }))).toBe(
      'Skill not found: "deplo". Did you mean deploy?',
    );
    expect(errorOf(await fixture.run('skill_view', { name: 'unlike' }))).toBe(
      'Skill not found: "unlike". List all skills with skills_list.',
    );
    const out = await fixture.run('skill_view', { name: 'deploy', file_path: '../../config.yaml' });
    expect(errorOf(out)).toContain('not a valid path of a file in a skill');
  });
});

describe('skill_manage', () => {
  verifies('SURF-10', 'lets the agent write and correct its own skills', async () => {
    await using fixture = await open();
    const made = await fixture.run('skill_manage', { action: 'create', name: 'deploy', content: text('deploy') });
    expect(made).toMatchObject({ status: 'ok', content: expect.stringContaining('Created the skill deploy') });
    await fixture.run('skill_manage', {
      action: 'patch',
      name: 'deploy',
      old_string: 'Steps of',
      new_string: 'How to',
    });
    await fixture.run('skill_manage', {
      action: 'write_file',
      name: 'deploy',
      file_path: 'scripts/go.sh',
      file_content: 'echo go',
    });
    expect(fixture.file('deploy/SKILL.md')).toContain('How to deploy.');
    expect(fixture.file('deploy/scripts/go.sh')).toBe('echo go');
    const refused = await fixture.run('skill_manage', { action: 'edit', name: 'deploy', content: 'no front matter' });
    expect(errorOf(refused)).toContain('Invalid SKILL.md');
    expect((await fixture.run('skill_manage', { action: 'explode', name: 'deploy' })).status).toBe('invalid');
  });

  it('asks first if configured, and changes nothing without approval', async () => {
    const create = { action: 'create', name: 'deploy', content: text('deploy') };
    await using fixture = await open({ writeApproval: true }, { answers: ['deny', 'once'] });
    expect((await fixture.run('skill_manage', create)).status).toBe('denied');
    expect(fixture.asked[0]).toMatchObject({ toolName: 'skill_manage', subject: 'create the skill deploy' });
    expect(() => fixture.file('deploy/SKILL.md')).toThrow();
    expect((await fixture.run('skill_manage', create)).status).toBe('ok');
  });

  it('changes nothing in plan mode', async () => {
    await using fixture = await open({}, { guard: { planMode: true } });
    const outcome = await fixture.run('skill_manage', { action: 'create', name: 'deploy', content: text('deploy') });
    expect(outcome.status).toBe('denied');
    expect(() => fixture.file('deploy/SKILL.md')).toThrow();
  });
});

describe('the skill tools', () => {
  it('are offered only if there are skills', async () => {
    await using without = await createToolFixture();
    expect(await without.tools.names()).not.toContain('skill_view');
    await using fixture = await open();
    const own = (await fixture.tools.definitions()).filter(({ name }) => name.startsWith('skill'));
    expect(own.map(({ name }) => name)).toEqual(['skill_manage', 'skill_view', 'skills_list']);
    expect(JSON.stringify(own).length / 4).toBeLessThan(460);
  });
});
