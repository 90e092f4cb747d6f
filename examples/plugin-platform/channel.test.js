import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeChannel } from 'hermes-agent-ts/testing';
import { describe, expect, it } from 'vitest';
import { createFolderChannel, render } from './channel.js';

/** A folder for one test, with a user who writes to it. */
async function openBench() {
  const folder = mkdtempSync(join(tmpdir(), 'folder-chat-'));
  const append = (/** @type {string} */ line) => appendFileSync(join(folder, 'inbox.jsonl'), `${line}\n`);
  let last = 0;
  return {
    open: () => createFolderChannel({ folder, pollMs: 5 }),
    // The platform has no token.
    secret: 'no token',
    target: { chatId: 'folder' },
    say: (/** @type {string} */ text) => append(JSON.stringify({ id: `m${(last += 1)}`, user: 'ada', text })),
    sayUnknown: () => append('{"anything": [1'),
    texts: () => readLines(join(folder, 'outbox.jsonl')).map(({ text }) => text),
    plainText: (/** @type {string} */ markdown) =>
      render(markdown)
        .map(({ text }) => text)
        .join(''),
    close: async () => rmSync(folder, { recursive: true }),
  };
}

/** @param {string} file */
function readLines(file) {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  } catch {
    return [];
  }
}

describeChannel('folder_chat', openBench, { describe, it, expect });
