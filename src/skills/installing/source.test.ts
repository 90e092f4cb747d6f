import { describe, expect, it } from 'vitest';
import { createSkillHome } from '../skills.fixture.ts';
import { parseSource } from './source.ts';

describe('the source of a skill', () => {
  it.each([
    ['https://example.com/a.git', { kind: 'git', url: 'https://example.com/a.git', ref: undefined }],
    ['https://me:secret@example.com/a.git#v1.2', { kind: 'git', label: 'https://example.com/a.git', ref: 'v1.2' }],
    ['git+ssh://git@example.com/a.git', { kind: 'git', url: 'ssh://git@example.com/a.git' }],
    ['git@example.com:team/a.git#feature/x', { kind: 'git', url: 'git@example.com:team/a.git', ref: 'feature/x' }],
    ['github:team/a', { kind: 'git', url: 'https://github.com/team/a.git' }],
    ['npm:some-skill', { kind: 'npm', name: 'some-skill', version: 'latest', label: 'npm:some-skill' }],
    ['npm:@team/some-skill@1.2.0', { kind: 'npm', name: '@team/some-skill', version: '1.2.0' }],
  ])('%s is accepted', (text, expected) => {
    expect(parseSource(text, '/')).toMatchObject(expected);
  });

  it.each([
    'ext::sh -c evil',
    '--upload-pack=evil',
    'https://example.com/a.git#--evil',
    'https://example.com/a b',
    'npm:../../x',
    'npm:a@$(evil)',
    'npm:--registry=x',
    'nowhere',
    '',
  ])('%j is rejected', (text) => {
    const { project } = createSkillHome();
    expect(() => parseSource(text === '' ? 'none/at/all' : text, project)).toThrow(
      /neither an existing folder|is not a valid/,
    );
  });

  it('is a folder if that folder exists, whatever its name looks like', () => {
    const { project, put } = createSkillHome();
    put('project/skills/x', '');
    expect(parseSource('skills', project)).toEqual({
      kind: 'folder',
      label: `${project}/skills`,
      folder: `${project}/skills`,
    });
  });
});
