import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastWords } from './last-words.ts';

describe('the last words of a server', () => {
  it('are its last line', () => {
    expect(lastWords('starting\nError: a cache was not there\nfatal: the disk is on fire')).toBe(
      'fatal: the disk is on fire',
    );
  });

  it('are the error where Node ends with its version', () => {
    const words =
      "node:internal/loader:1\n  throw err;\n  ^\n\nError: Cannot find module '/a.mjs'\n    at b (c:1)\n\nNode.js v24.1.0";
    expect(lastWords(words)).toBe("Error: Cannot find module '/a.mjs'");
    expect(lastWords('Node.js v24.1.0')).toBe('Node.js v24.1.0');
  });

  it('are the reason where npm ends with the place of its log', () => {
    const words =
      'npm error code E404\nnpm error 404 Not Found - GET a-server\nnpm error 404\nnpm error A complete log of this run can be found in: x';
    expect(lastWords(words)).toBe('npm error 404 Not Found - GET a-server');
  });

  it('are one short line, whatever was written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (text) => {
        const words = lastWords(text);
        expect(words).not.toContain('\n');
        expect(words.length).toBeLessThanOrEqual(300);
        expect(text).toContain(words);
      }),
    );
  });
});
