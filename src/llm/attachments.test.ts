import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { attachmentOf, blobsOf, imageFile, PDF, pdfFile, PNG } from '../../test/support/sample-files.ts';
import { type AttachedFile, type JsonValue, type Message, parseJson } from '../base/index.ts';
import { API_MODES, type ApiMode, type ModelRequest } from '../contracts/index.ts';
import { findHistoryFaults } from '../testing/provider-server/history-faults.ts';
import { WIRE_MODES } from '../testing/provider-server/modes/index.ts';
import { createModelClient } from './model-client.ts';
import type { ModelQuirks } from './model-quirks.ts';

const clientOf = (apiMode: ApiMode, quirks: ModelQuirks = {}) =>
  createModelClient({ quirks, apiMode, baseUrl: 'https://api.example.com/v1', model: 'm', stallTimeoutMs: 1000 });

const requestOf = (messages: readonly Message[], blobs?: ModelRequest['blobs']): ModelRequest => ({
  system: '',
  messages,
  blobs,
  tools: [],
  toolChoice: 'auto',
  stream: true,
});

const [png, pdf] = [PNG.toString('base64'), PDF.toString('base64')];
const FILES = [imageFile(), pdfFile()];
const LOOK: Message = { role: 'user', content: 'look', attachments: FILES.map((file) => attachmentOf(file)) };

const SENT: Record<ApiMode, JsonValue> = {
  chat_completions: {
    role: 'user',
    content: [
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      { type: 'file', file: { filename: 'paper.pdf', file_data: `data:application/pdf;base64,${pdf}` } },
      { type: 'text', text: 'look' },
    ],
  },
  codex_responses: {
    type: 'message',
    role: 'user',
    content: [
      { type: 'input_image', image_url: `data:image/png;base64,${png}` },
      { type: 'input_file', filename: 'paper.pdf', file_data: `data:application/pdf;base64,${pdf}` },
      { type: 'input_text', text: 'look' },
    ],
  },
  anthropic_messages: {
    role: 'user',
    content: [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf }, title: 'paper.pdf' },
      { type: 'text', text: 'look' },
    ],
  },
  // This API accepts images only.
  ollama_chat: { role: 'user', content: 'look', images: [png] },
};

const file: fc.Arbitrary<AttachedFile> = fc
  .tuple(fc.boolean(), fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.string({ minLength: 1, unit: 'grapheme' }))
  .map(([isImage, bytes, name]) => ({ ...(isImage ? imageFile(name) : pdfFile(name)), bytes }));

/** Turns of a conversation, each with any number of files. */
const turns = fc.array(fc.tuple(fc.array(file, { maxLength: 3 }), fc.constantFrom('', 'x', 'a\nb')), { minLength: 1 });

describe('attachments in a request', () => {
  for (const apiMode of API_MODES) {
    verifies('CALL-12', `${apiMode}: have the form of the API and come before the text`, () => {
      const { body } = clientOf(apiMode).prepare(requestOf([LOOK], blobsOf(...FILES)));
      const sent = parseJson(body) as { messages?: JsonValue[]; input?: JsonValue[] };
      expect((sent.messages ?? sent.input)?.[0]).toEqual(SENT[apiMode]);
      expect(WIRE_MODES[apiMode].read(parseJson(body) as never).faults).toEqual([]);
    });

    verifies('CALL-12', `${apiMode}: are omitted without their bytes, and the text stays plain`, () => {
      const plain = clientOf(apiMode).prepare(requestOf([{ role: 'user', content: 'look' }])).body;
      for (const blobs of [undefined, new Map<string, string>()]) {
        expect(clientOf(apiMode).prepare(requestOf([LOOK], blobs)).body).toBe(plain);
      }
    });

    verifies(
      ['CALL-12', 'REQ-6'],
      `${apiMode}: arrive complete from any position, and never change what was before`,
      () => {
        fc.assert(
          fc.property(turns, (source) => {
            const client = clientOf(apiMode);
            const blobs = blobsOf(...source.flatMap(([files]) => files));
            const messages: Message[] = [];
            let before = '';
            for (const [files, text] of source) {
              const content = text === '' && files.length === 0 ? 'x' : text;
              messages.push({ role: 'user', content, attachments: files.map((each) => attachmentOf(each)) });
              const { body } = client.prepare(requestOf(messages, blobs));
              expect(clientOf(apiMode).prepare(requestOf(structuredClone(messages), blobs)).body).toBe(body);
              expect(body.startsWith(before)).toBe(true);
              before = body.slice(0, -2);
              messages.push({ role: 'assistant', content: 'yes' });
            }
            const { messages: received, faults } = WIRE_MODES[apiMode].read(parseJson(`${before}]}`) as never);
            const sent = source
              .flatMap(([files]) => files)
              .filter(({ kind }) => client.carries?.includes(kind) ?? true);
            expect(faults.filter((fault) => !fault.includes('empty'))).toEqual([]);
            const arrived = received.flatMap(({ attachments }) => attachments);
            expect(arrived.map(({ bytes }) => [...bytes])).toEqual(sent.map(({ bytes }) => [...bytes]));
          }),
          { numRuns: 60 },
        );
      },
    );
  }

  verifies('TOOL-11', 'are part of a tool result where the API has a place for them', () => {
    const [call, id] = [{ id: 'c1', name: 'read_file', arguments: '{}' }, 'c1'];
    const result: Message = { role: 'tool', toolCallId: id, toolName: 'read_file', content: 'it is attached' };
    const history: Message[] = [
      { role: 'user', content: 'look' },
      { role: 'assistant', content: '', toolCalls: [call] },
      { ...result, attachments: [attachmentOf(imageFile())] },
    ];
    const lastOf = (apiMode: ApiMode) => {
      const { body } = clientOf(apiMode).prepare(requestOf(history, blobsOf(imageFile())));
      expect(findHistoryFaults(apiMode, parseJson(body) as never)).toEqual([]);
      const sent = parseJson(body) as { messages?: JsonValue[]; input?: JsonValue[] };
      return (sent.messages ?? sent.input)?.at(-1);
    };
    const source = { type: 'base64', media_type: 'image/png', data: png };
    const content = [
      { type: 'image', source },
      { type: 'text', text: 'it is attached' },
    ];
    expect(lastOf('anthropic_messages')).toEqual({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content }],
    });
    const output = [
      { type: 'input_image', image_url: `data:image/png;base64,${png}` },
      { type: 'input_text', text: 'it is attached' },
    ];
    expect(lastOf('codex_responses')).toEqual({ type: 'function_call_output', call_id: id, output });
  });

  verifies('TOOL-11', 'are part of a tool result only at endpoints that accept them there', () => {
    const accepts = (apiMode: ApiMode, quirks: ModelQuirks = {}) => clientOf(apiMode, quirks).toolResultImages;
    expect(API_MODES.filter((apiMode) => accepts(apiMode))).toEqual(['anthropic_messages']);
    const [yes, no] = [{ toolResultImages: true }, { toolResultImages: false }];
    expect(API_MODES.filter((apiMode) => accepts(apiMode, yes)).toSorted()).toEqual([
      'anthropic_messages',
      'codex_responses',
    ]);
    expect(API_MODES.filter((apiMode) => accepts(apiMode, no))).toEqual([]);
    const copilot = clientOf('anthropic_messages', { imageHeaders: { 'x-vision': 'true' } });
    const result: Message = { role: 'tool', toolCallId: 'c', toolName: 't', content: 'x' };
    const image = { ...result, attachments: [attachmentOf(imageFile())] };
    expect(copilot.prepare(requestOf([image], blobsOf(imageFile()))).headers['x-vision']).toBe('true');
  });

  verifies('CALL-12', 'are sent to Gemini as an image part for PDF files, and announced to Copilot by a header', () => {
    const request = requestOf([LOOK], blobsOf(...FILES));
    const { body } = clientOf('chat_completions', { documentPart: 'image_url' }).prepare(request);
    expect(body).toContain(`{"type":"image_url","image_url":{"url":"data:application/pdf;base64,${pdf}"}}`);
    const copilot = clientOf('chat_completions', { imageHeaders: { 'x-vision': 'true' } });
    expect(copilot.prepare(request).headers['x-vision']).toBe('true');
    expect(copilot.prepare(requestOf([LOOK])).headers['x-vision']).toBeUndefined();
    expect(copilot.prepare(requestOf([LOOK], blobsOf(pdfFile()))).headers['x-vision']).toBeUndefined();
  });
});
