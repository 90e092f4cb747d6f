import { describe, expect, it } from 'vitest';
import { createTheme } from '../theme.ts';
import { renderMarkdown } from './render-markdown.test-helper.ts';

const plain = createTheme({ colours: 'none' });
const draw = (text: string, width = 40) => renderMarkdown(text, width, plain);

describe('rendering a complete text', () => {
  it('nests lists the way models indent them, and renders task items', () => {
    expect(draw('1. one\n  - a\n    - b\n2. two\n\n   more\n- [x] done\n- [ ] open\n-\n- last')).toEqual([
      '1. one',
      '   ◦ a',
      '     ▪ b',
      '2. two',
      '',
      '   more',
      '☑ done',
      '☐ open',
      '•',
      '• last',
    ]);
    expect(draw('In\n1986. nothing began\n- but this')).toEqual(['In', '1986. nothing began', '• but this']);
  });

  it('keeps quotes and their content together', () => {
    expect(draw('> one\n> two\n>\n> - a\n\nafter')).toEqual(['│ one', '│ two', '│', '│ • a', '', 'after']);
  });

  it('renders code unchanged, also where a list item does not indent it', () => {
    expect(draw('- run\n  ```sh\nnpm  test\n\n\n  ls\n  ```\n- next')).toEqual([
      '• run',
      '    npm  test',
      '',
      '',
      '    ls',
      '• next',
    ]);
    expect(draw('~~~\n```\n~~~\n\n    four\n\nend')).toEqual(['  ```', '', '  four', '', 'end']);
  });

  it('aligns tables, wraps their fields, and lists fields below each other in a narrow window', () => {
    const table = '| Name | 数 |\n|:--|--:|\n| a \\| `b` | 1 |\n| 汉字 | 22 |\n';
    expect(draw(table)).toEqual(['Name    │ 数', '────────┼───', 'a | `b` │  1', '汉字    │ 22']);
    const wide = '|A|B|C|D|\n|-|-|-|-|\n|aaaaaaaaaa|bbbbbbbbbb|cccccccccc|dddddddddd|\n';
    expect(draw(wide, 20)).toEqual(['A: aaaaaaaaaa', 'B: bbbbbbbbbb', 'C: cccccccccc', 'D: dddddddddd']);
    expect(draw('| a | b |\n|--|--|\n| one two three | four five six |', 20)).toEqual([
      'a        │ b',
      '─────────┼─────────',
      'one two  │ four',
      'three    │ five six',
    ]);
  });

  it('recognises headings, rules and emphasis, but not text that only resembles them', () => {
    expect(draw('Top\n===\ntext\n### Three ###\n***\n#hash')).toEqual([
      '# Top',
      'text',
      '',
      '### Three',
      '─'.repeat(40),
      '#hash',
    ]);
    expect(draw('2 * 3 * 4, snake_case_name, **bold _both_**, ~~gone~~, \\*no\\*', 80)).toEqual([
      '2 * 3 * 4, snake_case_name, bold both, gone, *no*',
    ]);
    expect(draw('<b>x</b> &amp; y<br>z')).toEqual(['<b>x</b> & y', 'z']);
  });

  it('joins lines that the author wrapped, and keeps intended line breaks', () => {
    const wrapped = 'A sentence that somebody has broken after more than sixty columns,';
    expect(draw(`${wrapped}\nand goes on.\nThen a line.`, 100)).toEqual([`${wrapped} and goes on.`, 'Then a line.']);
    expect(draw(`${wrapped}  \nand goes on.`, 100)).toEqual([wrapped, 'and goes on.']);
    expect(draw(`${wrapped}\n**Next:** goes on.`, 100)).toEqual([wrapped, 'Next: goes on.']);
    expect(draw(`${'汉字'.repeat(30)}\n汉`, 200)).toEqual([`${'汉字'.repeat(30)}汉`]);
  });

  it('shows the URL of a link', () => {
    expect(draw('[here](https://a.example/x) https://b.example <c@d.example>', 80)).toEqual([
      'here (https://a.example/x) https://b.example c@d.example',
    ]);
  });

  it('breaks between Chinese characters, but not before closing punctuation', () => {
    expect(draw('一二三四五六七八九。十', 18)).toEqual(['一二三四五六七八', '九。十']);
  });
});
