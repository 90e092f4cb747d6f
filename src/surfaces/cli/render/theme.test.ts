import { expect, it } from 'vitest';
import { renderMarkdown } from './markdown/render-markdown.test-helper.ts';
import { createTheme } from './theme.ts';

const answer =
  '# Head\n\n**bold** `code` [a](b)\n\n> quote\n\n- item\n\n```ts\nconst a = "x"; // note\n```\n\n| a |\n|---|\n| b |\n';

it('emits no escape sequence without colours, also in code', async () => {
  const theme = createTheme({ colours: 'none' });
  await theme.code.prepare();
  expect(renderMarkdown(answer, 80, theme).join('\n')).not.toContain('\u001b');
});

it('uses only the 16 colours, and resets each attribute within the line', async () => {
  for (const colours of ['dark', 'light'] as const) {
    const theme = createTheme({ colours });
    await theme.code.prepare();
    for (const line of renderMarkdown(answer, 80, theme)) {
      // oxlint-disable-next-line no-control-regex
      const codes = [...line.matchAll(/\u001b\[([\d;]+)m/g)].flatMap((match) =>
        (match[1] ?? '').split(';').map(Number),
      );
      expect(codes.filter((code) => code === 38 || code === 48 || code > 97)).toEqual([]);
      const open = new Set<string>();
      for (const code of codes) {
        if (code === 39) open.delete('colour');
        else if (code >= 30) open.add('colour');
        else if (code > 20) open.delete(code === 22 ? 'weight' : String(code - 20));
        else open.add(code <= 2 ? 'weight' : String(code));
      }
      expect([...open]).toEqual([]);
    }
  }
});

it('highlights a comment of many lines to its end, and the code after it as code', async () => {
  const theme = createTheme({ colours: 'dark' });
  await theme.code.prepare();
  const code = ['/*', ...Array.from({ length: 200 }, (_, index) => `const number = ${index};`), '*/', 'const a = 1;'];
  const lines = renderMarkdown(`~~~js\n${code.join('\n')}`, 80, theme);
  expect(lines.slice(0, 202).filter((line) => !line.startsWith('  \u001b[90m'))).toEqual([]);
  expect(lines[202]).toContain('\u001b[95mconst');
});

it('highlights code only after the highlighter was loaded', async () => {
  const theme = createTheme({ colours: 'dark' });
  expect(theme.code.of('ts')).toBeUndefined();
  await theme.code.prepare();
  expect(theme.code.of('no-such-language')).toBeUndefined();
  expect(createTheme({ colours: 'light', code: theme.code }).code.of('ts')).toBeDefined();
  const lines = renderMarkdown('```ts\n/* one\ntwo */ const a = 1;\n```', 80, theme);
  expect(lines).toEqual([
    '  \u001b[90m/* one\u001b[39m',
    '  \u001b[90mtwo */\u001b[39m \u001b[95mconst\u001b[39m a = \u001b[93m1\u001b[39m;',
  ]);
});
