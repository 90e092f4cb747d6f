import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { createToolFixture, errorOf } from '../tools.fixture.ts';
import { describeImage } from './image.ts';
import { tokenizeXml } from './office-text.ts';
import { makeZip } from './zip.fixture.ts';
import { fullDoseOnly } from '../../../test/support/dose.ts';

async function read(name: string, content: string | Uint8Array) {
  await using fixture = await createToolFixture();
  await fixture.put(name, content);
  return await fixture.run('read_file', { path: name });
}

/** The text of a document without line numbers and note. */
const textOf = (content: string) =>
  content
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/^\d+\|/, ''));

describe('read_file on documents', () => {
  verifies('TOOL-5', 'shows a notebook cell by cell, with its outputs', async () => {
    const notebook = {
      cells: [
        { cell_type: 'markdown', source: ['# Title\n', 'text'] },
        {
          cell_type: 'code',
          source: 'print(1)',
          outputs: [
            { output_type: 'stream', text: ['1\n'] },
            { output_type: 'display_data', data: { 'image/png': 'AAAA', 'text/plain': ['<Figure>'] } },
            { output_type: 'error', evalue: 'bad', traceback: ['\u001b[31mTrace\u001b[0m', 'bad'] },
          ],
        },
      ],
    };
    const { content } = await read('a.ipynb', JSON.stringify(notebook));
    expect(content).toMatch(
      /^\[notebook as text, 2 cells; line numbers refer to this text, not to the file\]\n1\|\[cell 1, markdown\]/,
    );
    expect(textOf(content)).toEqual([
      '[cell 1, markdown]',
      '# Title',
      'text',
      '',
      '[cell 2, code]',
      'print(1)',
      '[output]',
      '1',
      '[output]',
      '<Figure>',
      '(image/png)',
      '[output]',
      'Trace',
      'bad',
    ]);
  });

  it('shows a broken notebook as JSON text', async () => {
    expect((await read('a.ipynb', '{"cells": [')).content).toBe('1|{"cells": [');
    expect((await read('a.ipynb', '[]')).content).toBe('1|[]');
  });

  verifies('TOOL-5', 'reads paragraphs and tables of a word document', async () => {
    const xml =
      '<w:document><w:body><w:p><w:r><w:t>Hello &amp; wel</w:t></w:r><w:r><w:t>come</w:t><w:br/><w:t>next</w:t></w:r></w:p>' +
      '<w:p/><w:tbl><w:tr><w:tc><w:p><w:t>a</w:t></w:p></w:tc><w:tc><w:p><w:t>b&#233;</w:t></w:p></w:tc></w:tr></w:tbl>' +
      '<w:p><w:del><w:t>gone</w:t></w:del><w:t>end</w:t></w:p></w:body></w:document>';
    const { content } = await read('a.docx', makeZip({ 'word/document.xml': xml }));
    expect(textOf(content)).toEqual(['Hello & welcome', 'next', '', 'a\tbé', 'end']);
    expect(content).toContain('patch and write_file cannot edit this format');
  });

  it('reads OpenDocument files and slides', async () => {
    const odt =
      '<office:body>\n <text:h>Head</text:h>\n <text:p>one<text:s text:c="3"/>two<text:tab/>three</text:p>' +
      '<table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell><table:table-cell><text:p>y</text:p></table:table-cell></table:table-row></table:table></office:body>';
    expect(textOf((await read('a.odt', makeZip({ 'content.xml': odt }))).content)).toEqual([
      'Head',
      'one   two\tthree',
      'x\ty',
    ]);
    const slide = (text: string) => `<p:sld><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`;
    const slides = { 'ppt/slides/slide10.xml': slide('ten'), 'ppt/slides/slide2.xml': slide('two') };
    expect(textOf((await read('a.pptx', makeZip(slides))).content)).toEqual(['[slide 2]', 'two', '[slide 10]', 'ten']);
  });

  verifies('TOOL-5', 'reads the sheets of a workbook', async () => {
    const parts = {
      'xl/workbook.xml': '<workbook><sheets><sheet name="One &amp; only" r:id="rId1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': '<R><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></R>',
      'xl/sharedStrings.xml': '<sst><si><t>name</t></si><si><r><t>A</t></r><r><t>da</t></r></si></sst>',
      'xl/worksheets/sheet1.xml':
        '<worksheet><row><c r="A1" t="s"><v>0</v></c><c r="C1"><v>1.5</v></c></row>' +
        '<row><c r="A2" t="s"><v>1</v></c><c r="B2" t="b"><v>1</v></c><c r="C2" t="inlineStr"><is><t>in</t></is></c></row></worksheet>',
    };
    const { content } = await read('a.xlsx', makeZip(parts));
    expect(textOf(content)).toEqual(['[sheet One & only]', 'name\t\t1.5', 'Ada\tTRUE\tin']);
  });

  it('reports why a document cannot be read, and limits decompression', fullDoseOnly, async () => {
    const failure = async (name: string, content: string | Uint8Array) => errorOf(await read(name, content));
    expect(await failure('a.docx', 'no zip')).toContain(
      'a.docx cannot be read as a document: it is not a valid zip file',
    );
    expect(await failure('a.docx', makeZip({ other: 'x' }))).toContain('it has no word/document.xml');
    expect(await failure('a.docx', makeZip({ 'word/document.xml': 'x' }, 8, 1))).toContain('encrypted');
    expect(await failure('a.docx', makeZip({ 'word/document.xml': 'x' }, 99))).toContain('not supported');
    const bomb = makeZip({ 'word/document.xml': new Uint8Array(101 * 1024 * 1024) });
    expect(bomb.length).toBeLessThan(1024 * 1024);
    expect(await failure('a.docx', bomb)).toContain('unpacks to more than 104857600 bytes');
  });

  it('survives any damage to a zip file', async () => {
    const whole = makeZip({ 'word/document.xml': '<w:p><w:t>text</w:t></w:p>' });
    await using fixture = await createToolFixture();
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 }), async (at, byte) => {
        const damaged = Uint8Array.from(whole);
        damaged[at] = byte;
        await fixture.put('a.docx', damaged);
        const { content } = await fixture.run('read_file', { path: 'a.docx', limit: 5 });
        expect(content).not.toContain('Tool execution failed');
      }),
      { numRuns: 200 },
    );
  });

  it('parses any text as XML in linear time', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('<', '>', '/', '"', "'", '&', '!', '-', '[', ']', 'a', ' ', ';'),
          maxLength: 40,
        }),
        (text) => {
          expect(() => [...tokenizeXml(text)]).not.toThrow();
        },
      ),
    );
    const started = performance.now();
    for (const nasty of ['<a "', '<', '<!--', '<a x="', '&#', '<![CDATA['])
      expect([...tokenizeXml(nasty.repeat(20_000))]).toBeDefined();
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe('read_file on images', () => {
  const bytes = (...parts: (string | number[])[]) =>
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

  const png = bytes('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [0, 0, 2, 128], [0, 0, 1, 224]);

  verifies(['TOOL-5', 'TOOL-11'], 'attaches the image, and again if it is read again', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('sub/a.txt', png);
    for (let times = 0; times < 2; times += 1) {
      expect(await fixture.run('read_file', { path: 'sub/a.txt' })).toEqual({
        status: 'ok',
        content: 'sub/a.txt is a PNG image of 640 × 480 pixels, 24 bytes; it is attached.',
        attachments: [{ kind: 'image', mediaType: 'image/png', name: 'a.txt', bytes: png }],
      });
    }
  });

  verifies('TOOL-11', 'refuses an image over 20 MB and a format that models cannot view', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('large.png', png);
    await truncate(join(fixture.folder, 'large.png'), 20_000_001);
    const refused = await fixture.run('read_file', { path: 'large.png' });
    expect(refused).not.toHaveProperty('attachments');
    expect(errorOf(refused)).toBe(
      'large.png is a PNG image of 640 × 480 pixels, 20000001 bytes. Images over 20 MB cannot be viewed. Create a smaller copy and read that.',
    );
    await truncate(join(fixture.folder, 'large.png'), 20_000_000);
    expect((await fixture.run('read_file', { path: 'large.png' })).attachments).toMatchObject([{ kind: 'image' }]);
    await fixture.put(
      'a.bmp',
      bytes(
        'BM',
        [0, 0, 0, 0, 0, 0, 0, 0],
        Array.from({ length: 20 }, () => 0),
      ),
    );
    expect(errorOf(await fixture.run('read_file', { path: 'a.bmp' }))).toContain('convert it to PNG first');
  });

  verifies('TOOL-11', 'does not attach an image to a call that a program made', async () => {
    await using fixture = await createToolFixture({ code: {} });
    await fixture.put('a.png', png);
    const path = join(fixture.folder, 'a.png');
    const alone = await fixture.tools.dispatchWithoutAgent('read_file', { path });
    expect(alone).toEqual({ status: 'ok', content: expect.stringContaining('A script cannot view images') });
    const script = 'console.log(await tools.read_file({ path: "a.png" }))';
    const scripted = await fixture.run('execute_code', { code: script });
    expect(scripted).toEqual({ status: 'ok', content: expect.stringContaining('call read_file directly') });
  });

  verifies('TOOL-11', 'does not attach a protected file', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('../home/.ssh/id_rsa', png);
    const denied = await fixture.run('read_file', { path: join(fixture.home, '.ssh/id_rsa') });
    expect(denied.status).toBe('denied');
    expect(denied).not.toHaveProperty('attachments');
  });

  it('detects the size in each format', () => {
    expect(describeImage(bytes('GIF89a', [10, 0, 20, 0]))).toBe('a GIF image of 10 × 20 pixels');
    const jpeg = bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8, 0, 30, 0, 40, 3, 0, 0]);
    expect(describeImage(jpeg)).toBe('a JPEG image of 40 × 30 pixels');
    const webp = bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8X', [10, 0, 0, 0, 0, 0, 0, 0], [99, 0, 0], [49, 0, 0]);
    expect(describeImage(webp)).toBe('a WebP image of 100 × 50 pixels');
    const bmp = bytes(
      'BM',
      [0, 0, 0, 0, 0, 0, 0, 0],
      [0, 0, 0, 0, 40, 0, 0, 0],
      [8, 0, 0, 0],
      [0xf8, 0xff, 0xff, 0xff],
    );
    expect(describeImage(bmp)).toBe('a BMP image of 8 × 8 pixels');
    expect(describeImage(bytes('\x89PNG\r\n\x1a\n'))).toBe('a PNG image');
    expect(describeImage(bytes('<svg>'))).toBeUndefined();
  });

  it('survives any first bytes', () => {
    const start = fc.constantFrom('\x89PNG\r\n\x1a\n', 'GIF89a', '\xff\xd8\xff', 'RIFF0000WEBP', 'BM');
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 60 }), (head, rest) => {
        expect(() => describeImage(bytes(head, [...rest]))).not.toThrow();
      }),
    );
  });
});
