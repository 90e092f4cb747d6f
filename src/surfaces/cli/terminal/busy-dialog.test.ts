import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createStyle } from '../style.ts';
import { formatBusyQuestion, parseBusyAnswer } from './busy-dialog.ts';

it('accepts a number, a word, or an unambiguous prefix', () => {
  expect(['1', ' 2 ', 'b', 'LEAVE', 'wai'].map((line) => parseBusyAnswer(line, true))).toEqual([
    'wait',
    'watch',
    'branch',
    'leave',
    'wait',
  ]);
  for (const line of ['', ' ', 'wa', '0', '5', '12', 'go on', 'x']) expect(parseBusyAnswer(line, true)).toBeUndefined();
  expect(['1', 'go', '3'].map((line) => parseBusyAnswer(line, false))).toEqual(['go on', 'go on', 'leave']);
});

it('says which process holds the session, or that it is free now', () => {
  const style = createStyle(new PassThrough(), {});
  const holder = { pid: 7, host: 'here\u001b[2J', surface: 'cli', token: 't', since: 0, renewedAt: 0 };
  const held = formatBusyQuestion('one', holder, style);
  expect(held.text).toMatch(/^! Session one is in use: process 7 on here \(cli\).*\n {2}1\. wait: /);
  expect(held.prompt).toBe('1-4 › ');
  expect(formatBusyQuestion('one', undefined, style)).toMatchObject({
    text: expect.stringMatching(/^! Session one is free now\.\n {2}1\. go on/),
    prompt: '1-3 › ',
  });
});
