import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stripAnsi } from '../../../util/index.ts';
import { hyperlink, linkTarget, supportsHyperlinks } from './hyperlink.ts';

it('opens web and mail addresses only', () => {
  expect(['https://a.example/ü?b=1', 'www.example.com', 'mailto:ann@example.com'].map(linkTarget)).toEqual([
    'https://a.example/%C3%BC?b=1',
    'https://www.example.com',
    'mailto:ann@example.com',
  ]);
  for (const other of ['file:///etc/passwd', 'javascript:alert(1)', 'ssh://host', 'x-open:app', 'a.md', ''])
    expect(linkTarget(other), other).toBeUndefined();
  expect(linkTarget(`https://example.com/${'x'.repeat(3000)}`)).toBeUndefined();
});

it('keeps the escape sequence closed, whatever the address contains', () => {
  const address = fc.array(
    fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\u001b\\', '\u0007', '\u009c', '\n', '\u001b[2J')),
  );
  fc.assert(
    fc.property(address, (parts) => {
      const target = linkTarget(`https://example.com/${parts.join('')}`) ?? '';
      expect(target).toMatch(/^[\u0021-\u007e]*$/);
      expect(stripAnsi(hyperlink('text', target))).toBe('text');
    }),
  );
});

it('is used in terminals that say who they are', () => {
  const known = [{ TERM_PROGRAM: 'WezTerm' }, { VTE_VERSION: '7600' }, { TERM: 'foot' }, { KITTY_WINDOW_ID: '1' }];
  for (const env of known) expect(supportsHyperlinks(env), JSON.stringify(env)).toBe(true);
  const others = [{}, { TERM: 'xterm-256color' }, { VTE_VERSION: '4800' }, { TERM_PROGRAM: 'WezTerm', TMUX: 'x' }];
  for (const env of others) expect(supportsHyperlinks(env), JSON.stringify(env)).toBe(false);
});
