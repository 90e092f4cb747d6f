import { expect, it } from 'vitest';
import { createScriptReader } from './script.ts';

it('gives the replies of a list in order and says when there are none left', async () => {
  const next = createScriptReader<string, number>([1, 2]);
  expect([await next('a'), await next('b')]).toEqual([1, 2]);
  await expect(next('c')).rejects.toThrow('The script has 2 replies, and this is request 3.');
});

it('repeats the last reply where that is wanted', async () => {
  const next = createScriptReader<string, number>([1, 2], { repeatLast: true });
  expect([await next('a'), await next('b'), await next('c')]).toEqual([1, 2, 2]);
  await expect(createScriptReader<string, number>([], { repeatLast: true })('a')).rejects.toThrow('0 replies');
});

it('hands the request to a function', async () => {
  const next = createScriptReader((request: string) => request.length);
  expect(await next('four')).toBe(4);
});
