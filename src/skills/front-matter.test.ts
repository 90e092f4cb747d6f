import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { BadSkill, parseSkill } from './front-matter.ts';

const text = (head: string, body = 'Do it.') => `---\n${head}\n---\n${body}`;
const PLAIN = 'name: deploy\ndescription: Publishes the site.';
const SOUND = { facts: { name: 'x', description: 'x' }, body: 'x' };
const faultOf = (given: string) => parseSkill(given).then(String, (thrown: Error) => thrown.message);

describe('a SKILL.md', () => {
  verifies('SURF-10', 'has the fields of the format and its requirements', async () => {
    const head = `name: deploy
description: >
  Publishes the site
  and looks whether it is there.
license: MIT
compatibility: needs git
allowed-tools: terminal read_file
version: 1.2
platforms: [Linux, macos]
metadata:
  author: someone
  hermes:
    tags: [web, "site"]
    related_skills: [other]
    requires_toolsets: [terminal]
    requires_tools: [terminal]
    fallback_for_toolsets: [browser]
    fallback_for_tools: [web_extract]
    env: [SITE_KEY, { name: SITE_USER, prompt: who? }]
    config: [{ key: site.url, default: "https://example.com" }]
    pinned: true`;
    expect(await parseSkill(text(head, '\n# Steps\n'))).toEqual({
      body: '# Steps',
      facts: {
        name: 'deploy',
        description: 'Publishes the site and looks whether it is there.',
        license: 'MIT',
        compatibility: 'needs git',
        allowedTools: ['terminal', 'read_file'],
        version: '1.2',
        platforms: ['linux', 'macos'],
        tags: ['web', 'site'],
        relatedSkills: ['other'],
        requiresToolsets: ['terminal'],
        requiresTools: ['terminal'],
        fallbackForToolsets: ['browser'],
        fallbackForTools: ['web_extract'],
        variables: ['SITE_KEY', 'SITE_USER'],
        config: { 'site.url': 'https://example.com' },
        pinned: true,
      },
    });
  });

  it('may have a byte order mark and Windows line endings', async () => {
    const { facts, body } = await parseSkill(`\uFEFF---\r\n${PLAIN.replace('\n', '\r\n')}\r\n--- \r\nA\r\nB`);
    expect([facts.name, body]).toEqual(['deploy', 'A\nB']);
  });

  it('with a description that is a little too long is truncated with a warning', async () => {
    const { facts } = await parseSkill(text(`name: deploy\ndescription: ${'x'.repeat(1025)}`));
    expect(facts.description).toBe(`${'x'.repeat(1023)}…`);
    expect(facts.warnings).toEqual(['its description has 1025 characters and was truncated to 1024']);
    const whole = await parseSkill(text(`name: deploy\ndescription: ${'x'.repeat(1024)}`));
    expect([whole.facts.description.length, whole.facts.warnings]).toEqual([1024, undefined]);
  });

  it.each([
    ['no front matter', 'front matter', '# Just text'],
    ['no end of it', 'not closed', `---\n${PLAIN}\n`],
    ['no text', 'no text', text(PLAIN, ' \n')],
    ['broken YAML', 'not valid YAML', text('name: [deploy')],
    ['a list', 'mapping', text('- name')],
    ['no name', 'name must be', text('description: x')],
    ['a name that leads out', 'name must be', text('name: ../../etc\ndescription: x')],
    ['a name with dots in a row', 'name must be', text('name: a..b\ndescription: x')],
    ['capitals', 'name must be', text('name: Deploy\ndescription: x')],
    ['a name that is a list', 'name must be text', text('name: [a]\ndescription: x')],
    ['no description', 'no description', text('name: deploy\ndescription: ""')],
    ['a much too long description', 'maximum 1024', text(`name: deploy\ndescription: ${'x'.repeat(2049)}`)],
    ['tags that are a number', 'list of names', text(`${PLAIN}\nmetadata: {hermes: {tags: 1}}`)],
    ['metadata that is text', 'must be a mapping', text(`${PLAIN}\nmetadata: yes please`)],
    ['an unknown platform', 'amiga is unknown', text(`${PLAIN}\nplatforms: [amiga]`)],
    ['aliases that unfold', 'not valid YAML', text(`${PLAIN}\na: &a [1]\nb: [*a, *a]`)],
    ['too much text', 'maximum 100000', text(PLAIN, 'x'.repeat(100_001))],
  ])('with %s is rejected with a reason', async (_, reason, given) => {
    expect(await faultOf(given)).toContain(reason);
  });

  it('with any content is parsed or rejected with a one-line reason', async () => {
    const line = fc.oneof(
      fc.constantFrom(
        '---',
        '--- ',
        'name: a',
        'name: ../x',
        'description: d',
        'metadata:',
        '  hermes:',
        '    tags: [',
        '\t',
        '&a',
        '*a',
        '{',
        '!!js',
      ),
      fc.string({ unit: 'binary' }),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), fc.boolean(), async (lines, opened) => {
        const given = (opened ? '---\n' : '') + lines.join('\n');
        const read = await parseSkill(given).catch((thrown: unknown) => thrown);
        // Either a one-line reason, or a usable skill.
        const fault = read instanceof BadSkill ? read.message : '';
        const { facts, body } = (read instanceof BadSkill ? SOUND : read) as Awaited<ReturnType<typeof parseSkill>>;
        expect(fault).not.toContain('\n');
        expect(facts.name).toMatch(/^[a-z0-9][a-z0-9._-]{0,63}$/);
        expect(facts.name).not.toContain('..');
        expect(facts.description).toMatch(/^[^\n]+$/);
        expect(body.trim()).not.toBe('');
      }),
      { numRuns: 500 },
    );
  });
});
