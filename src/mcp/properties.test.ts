import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../base/index.ts';
import { expandText, serverEnvironment } from './expand-variables.ts';
import { readTool } from './list-tools.ts';
import { createByteCounter, createLineReader, MAX_MESSAGE_SIZE } from './message-limit.ts';
import { readTask } from './run-as-task.ts';
import { renderPrompt, renderResource, renderResult } from './server-tools.ts';
import { createNameFilter, nameTools } from './tool-names.ts';

const json = fc.jsonValue({ maxDepth: 6 }) as fc.Arbitrary<JsonValue>;
const nothingKept = async () => undefined;

describe('arbitrary data of a server', () => {
  it('a tool is either rejected or valid for a model', async () => {
    const tool = fc.oneof(
      json,
      fc.record({ name: fc.string(), description: json, inputSchema: json, annotations: json }, { requiredKeys: [] }),
      fc.record({
        name: fc.string({ minLength: 1 }),
        inputSchema: fc.record({ type: fc.constant('object'), properties: json, required: json }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(tool, async (raw) => {
        const reading = await readTool(raw, true);
        const refused = 'fault' in reading ? reading.fault : undefined;
        expect(refused).not.toBe('');
        const { parameters, description } =
          'tool' in reading ? reading.tool : { description: '', parameters: { type: 'object', properties: {} } };
        expect(parameters).toMatchObject({ type: 'object', properties: expect.any(Object) });
        expect(description.length).toBeLessThanOrEqual(2000);
        const { required = [] } = parameters as JsonObject;
        expect(Array.isArray(required) && required.every((name) => typeof name === 'string')).toBe(true);
      }),
    );
  });

  it('a task status has an id and a poll interval within the limits, or is rejected', () => {
    const status = fc.constantFrom('working', 'input_required', 'completed', 'x');
    const task = fc.record({ taskId: json, status: fc.oneof(status, json), statusMessage: json, pollInterval: json });
    const numbered = fc.record({ taskId: fc.string(), status, pollInterval: fc.double() });
    fc.assert(
      fc.property(fc.oneof(json, task, numbered), (raw) => {
        const read = readTask(raw) ?? { id: '', status: 'working', message: '', pollMs: 50 };
        expect(read).toMatchObject({ id: expect.any(String), message: expect.any(String) });
        expect(read.pollMs >= 50 && read.pollMs <= 10_000).toBe(true);
        expect(read.status).not.toBe('x');
      }),
    );
  });

  it('a result becomes text', async () => {
    const block = fc.record(
      {
        type: fc.constantFrom('text', 'image', 'audio', 'resource', 'resource_link', 'x'),
        text: json,
        data: json,
        resource: json,
        uri: json,
        mimeType: json,
      },
      { requiredKeys: ['type'] },
    );
    const result = fc.oneof(
      json,
      fc.record({ content: fc.array(block), structuredContent: json, isError: json }, { requiredKeys: [] }),
    );
    await fc.assert(
      fc.asyncProperty(result, async (raw) => {
        const { text, images, isError } = await renderResult(raw, nothingKept);
        expect(images.every(({ kind }) => kind === 'image')).toBe(true);
        expect(typeof text).toBe('string');
        expect(typeof isError).toBe('boolean');
        expect(typeof (await renderResource(raw, nothingKept)).text).toBe('string');
        expect(typeof (await renderPrompt(raw, nothingKept)).text).toBe('string');
      }),
    );
  });

  it('a result of millions of characters is truncated and says so', async () => {
    const { text } = await renderResult({ content: [{ type: 'text', text: 'x'.repeat(2_500_000) }] }, nothingKept);
    expect(text).toMatch(/x\n\[… 500000 characters omitted …\]$/);
  });

  it('a tool name is unique and valid for every provider', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9_-]{1,80}$/),
        fc.uniqueArray(fc.string({ maxLength: 120 })),
        (label, originals) => {
          const names = [...nameTools(label, originals).values()];
          expect(names).toHaveLength(originals.length);
          expect(new Set(names).size).toBe(names.length);
          for (const name of names) expect(name).toMatch(/^mcp__[A-Za-z0-9_-]{1,59}$/);
        },
      ),
    );
    expect([...nameTools('my_server', ['a.b', 'a/b']).values()]).toEqual([
      'mcp__my_server__a_b',
      expect.stringMatching(/^mcp__my_server__a_b_[0-9a-f]{8}$/),
    ]);
  });
});

describe('bytes', () => {
  it('are split into the same lines, however they are chunked', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string().filter((line) => !line.includes('\n'))),
        fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
        (lines, sizes) => {
          const found: string[] = [];
          const read = createLineReader('it', (line) => found.push(line));
          let rest = Buffer.from(lines.map((line) => `${line}\n`).join(''));
          for (const size of sizes) {
            if (rest.length === 0) break;
            read(rest.subarray(0, size));
            rest = rest.subarray(size);
          }
          expect(found).toEqual(lines.map((line) => Buffer.from(line).toString('utf8')));
        },
      ),
    );
  });

  it('that are too large are rejected as a line, a response or an event, but a stream may have any number of events', () => {
    const piece = Buffer.alloc(MAX_MESSAGE_SIZE / 4, 'x');
    const event = Buffer.concat([piece, Buffer.from('\n\n')]);
    const take = (read: (chunk: Uint8Array) => void, chunk: Uint8Array) => () => {
      for (let count = 0; count < 6; count += 1) read(chunk);
    };
    expect(
      take(
        createLineReader('it', () => undefined),
        piece,
      ),
    ).toThrow('larger than 16 MB');
    expect(take(createByteCounter('it', false), event)).toThrow('larger than 16 MB');
    expect(take(createByteCounter('it', true), piece)).toThrow('larger than 16 MB');
    expect(take(createByteCounter('it', true), event)).not.toThrow();
    // The empty line that ends an event may be split across two chunks.
    const read = createByteCounter('it', true);
    const split = () => {
      for (let count = 0; count < 6; count += 1) {
        read(Buffer.concat([piece, Buffer.from('\n')]));
        read(Buffer.from('\n'));
      }
    };
    expect(split).not.toThrow();
  });
});

describe('settings', () => {
  it('have their variables expanded, and report a missing one', () => {
    const places = { workspaceFolder: '/w' };
    const fill = (text: string) => expandText(text, { A: 'a', EMPTY: '' }, places, 'mcp_servers.it.url');
    expect(fill('${A}-${env:A}-${workspaceFolder}-${B:-b}-${EMPTY:-e}-$A-${}')).toBe('a-a-/w-b-e-$A-${}');
    expect(() => fill('x${B}')).toThrow('mcp_servers.it.url uses the environment variable B, which is not set.');
    expect(serverEnvironment({ PATH: '() { evil', HOME: '/h', X_TOKEN: 't' }, { Y: 'y' })).toEqual({
      HOME: '/h',
      Y: 'y',
    });
  });

  it('select tools by patterns in which only * and ? are special', () => {
    const wanted = createNameFilter(['get_*', 'a.b', 'x?'], ['get_secret*']);
    expect(['get_', 'get_it', 'a.b', 'xy'].every(wanted)).toBe(true);
    expect(['get_secrets', 'aXb', 'x', 'xyz', 'other'].some(wanted)).toBe(false);
    fc.assert(
      fc.property(fc.string(), fc.string(), (glob, name) => {
        expect(typeof createNameFilter([glob], [])(name)).toBe('boolean');
        expect(createNameFilter(undefined, ['*'])(name)).toBe(false);
      }),
    );
  });
});
