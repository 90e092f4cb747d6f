import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Attachment, NO_USAGE } from '../../../../base/index.ts';
import type { SessionExport } from '../../../../contracts/index.ts';
import { renderHtml } from './html.ts';
import { renderMarkdown } from './markdown.ts';

const HASH = 'a'.repeat(64);

function attached(text: string, hash = HASH): Attachment {
  return { kind: 'image', mediaType: 'image/png', name: text, hash, size: 3, description: `x${text}` };
}

/** A session with the given text in every possible position. */
function sessionWith(text: string, id = 'one'): SessionExport {
  const toolCalls = [{ id: text, name: text, arguments: text }];
  return {
    format: 'hermes-session',
    version: 1,
    turns: [],
    calls: [],
    session: { id, source: text, model: text, title: text, startedAt: 0, endedAt: 1, endReason: text, usage: NO_USAGE },
    messages: [
      {
        timestamp: 0,
        message: { role: 'user', content: `x${text}`, attachments: [attached(text), attached(text, 'gone')] },
      },
      { timestamp: 0, message: { role: 'assistant', content: `x${text}`, reasoning: `x${text}`, toolCalls } },
      { timestamp: 0, message: { role: 'tool', toolCallId: text, toolName: text, content: text }, toolStatus: 'error' },
      { timestamp: 0, copyOf: { sessionId: text, position: 0 } },
    ],
    blobs: [
      { hash: HASH, mediaType: 'image/png', base64: 'AAAA' },
      { hash: 'b'.repeat(64), mediaType: `image/${text}`, base64: 'AAAA' },
      { hash: text, mediaType: 'image/png', base64: 'AAAA' },
    ],
  };
}

async function* listed(...records: SessionExport[]): AsyncGenerator<SessionExport> {
  yield* records;
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const piece of pieces) all += piece;
  return all;
}

const pageOf = (...records: SessionExport[]) =>
  joined(
    renderHtml(
      listed(...records),
      records.map(({ session: { id, title = '' } }) => ({ id, title, startedAt: 0 })),
    ),
  );
const markdownOf = (...records: SessionExport[]) => joined(renderMarkdown(listed(...records)));

const hostile = () =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom('</pre>', '<script>alert(1)</script>', '"', "'", '&lt;', '-->', '```', '\n', '# ', '</style>'),
        fc.string({ unit: 'binary' }),
      ),
      { maxLength: 12 },
    )
    .map((pieces) => pieces.join(''));

describe('the HTML export', () => {
  it('has the same elements for any text', async () => {
    // Collapsing depends on the length, and files are placed by hash; normalise both.
    const tags = (page: string) => (page.replaceAll(' open', '').match(/<[^>]*>?/g) ?? []).join('\n');
    const plain = tags(await pageOf(sessionWith('plain text')));
    await fc.assert(
      fc.asyncProperty(hostile(), async (text) => {
        fc.pre(text.trim() !== '');
        expect(tags(await pageOf(sessionWith(text)))).toBe(plain);
      }),
    );
  });

  it('allows only its own style and embedded images', async () => {
    const page = await pageOf(sessionWith('text'));
    const style = /<style>([^]*?)<\/style>/.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(page).toContain(
      `content="default-src 'none'; img-src data:; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
    );
    expect(page.indexOf('charset')).toBeLessThan(1000);
    expect(page).not.toMatch(/<script|https?:|style="| on\w+="/);
    expect(page).toContain('prefers-color-scheme: dark');
    expect(page).toContain('@media print');
  });

  it('shows attachments with their message, and names those that are omitted', async () => {
    const record = sessionWith('text');
    const attachments = [attached('cat.png'), attached('lost.png', 'gone')];
    record.messages = [{ timestamp: 0, message: { role: 'user', content: 'see', attachments } }];
    record.blobs = [
      { hash: HASH, mediaType: 'image/png', base64: 'iVBORw0KGgo=' },
      { hash: 'b', mediaType: 'image/svg+xml', base64: 'AAAA' },
      { hash: 'c', mediaType: 'image/jpeg', base64: 'A'.repeat(8_000_000) },
    ];
    const page = await pageOf(record);
    expect(page).toMatch(/see<\/div>\n<figure><img alt="image\/png" src="data:image\/png;base64,iVBORw0KGgo=">/);
    expect(page).toContain('<figcaption>cat.png, image/png, 3 B, sha256 aaaa');
    expect(page).toContain('Description for the model');
    expect(page).toContain('Not shown, because its data is no longer available: lost.png');
    expect(page).toContain('Not shown, because it is larger than 5.0 MB: image/jpeg, 6.0 MB');
    expect(page).toContain('Not shown, because it is not a supported image: image/svg+xml');
    expect(page.match(/<img/g)).toHaveLength(1);
  });

  it('does not repeat attachments of another session', async () => {
    const [parent, child] = [sessionWith('first'), sessionWith('second', 'two')];
    child.messages = [{ timestamp: 0, copyOf: { sessionId: 'one', position: 0 } }];
    parent.blobs = child.blobs = [{ hash: HASH, mediaType: 'image/png', base64: 'iVBORw0KGgo=' }];
    expect((await pageOf(parent, child)).match(/<img/g)).toHaveLength(1);
    expect((await markdownOf(parent, child)).match(/- Image: first/g)).toHaveLength(2);
    expect(await markdownOf(parent, child)).not.toContain('## Files');
  });

  it('starts with a table of contents if there are several sessions', async () => {
    const page = await pageOf(sessionWith('first'), sessionWith('second', 'two'));
    const targets = [...page.matchAll(/<li><a href="#([^"]+)"/g)].map(([, target]) => target);
    expect(targets).toHaveLength(2);
    for (const target of targets) expect(page).toContain(`<article id="${target}">`);
    expect(await pageOf(sessionWith('only'))).not.toContain('<nav>');
  });
});

describe('Markdown', () => {
  /** The lines of the renderer itself: neither quoted nor fenced, with the inserted text removed. */
  function structure(text: string): string[] {
    const lines: string[] = [];
    let fence = '';
    for (const line of text.split('\n')) {
      const run = /^ {0,3}(`{3,})/.exec(line)?.[1] ?? '';
      if (fence !== '') {
        if (run.length >= fence.length && /^\s*`+\s*$/.test(line)) fence = '';
      } else if (run !== '') fence = run;
      else if (!line.startsWith('>') && line !== '')
        lines.push(/^(#+|- \*\*\w[\w ]*\*\*|\*\*Calls\*\*|<\/?\w+>|\W+)/.exec(line)?.[1] ?? line);
    }
    expect(fence).toBe('');
    return lines;
  }

  it('has the same structure for any text', async () => {
    const plain = structure(await markdownOf(sessionWith('plain text')));
    await fc.assert(
      fc.asyncProperty(hostile(), async (text) => {
        fc.pre(/\w/.test(text));
        expect(structure(await markdownOf(sessionWith(text))).length).toBe(plain.length);
      }),
    );
  });

  it('renders readable Markdown', async () => {
    const record = sessionWith('text');
    record.session.title = 'A *title*';
    record.messages[1] = {
      timestamp: Date.UTC(2026, 0, 2, 12),
      message: {
        role: 'assistant',
        content: 'Yes.\n\n- so',
        toolCalls: [{ id: 'c', name: 'terminal', arguments: '{"command":"ls"}' }],
      },
    };
    const text = await markdownOf(record);
    expect(text).toMatch(/^# A \\\*title\\\*\n\n- \*\*session\*\*: one\n/);
    expect(text).toMatch(
      /\n## Assistant · 2026-01-0\d \d\d:\d\d\n\n> Yes\.\n>\n> - so\n\n\*\*Calls\*\* terminal\n\n```json\n\{\n {2}"command": "ls"\n\}\n```\n/,
    );
    expect(text).toContain('*1 message from session text, shown there.*');
  });
});
