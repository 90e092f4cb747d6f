import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { systemClock } from '../base/index.ts';
import { createFileLogger } from './file-logger.ts';

describe('createFileLogger', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hermes-log-'));
    file = join(folder, 'logs', 'agent.log');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const lines = async () =>
    (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);

  verifies('STORE-8', 'makes a log file private that others could read', async () => {
    await mkdir(join(folder, 'logs'));
    await writeFile(file, '', { mode: 0o644 });
    const logger = createFileLogger({ file, clock: systemClock });
    logger.info('first');
    logger.close();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await lines()).toHaveLength(1);
  });

  verifies('STORE-8', 'opens a private file with the first line and not before', async () => {
    const logger = createFileLogger({ file, clock: systemClock });
    logger.debug('too fine');
    expect(existsSync(file)).toBe(false);
    logger.info('first', { sessionId: 's', left: undefined });
    logger.close();
    expect(await lines()).toEqual([{ at: expect.any(String), level: 'info', message: 'first', sessionId: 's' }]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('redacts secrets and writes causes, with details if verbose', async () => {
    const logger = createFileLogger({ file, clock: systemClock, verbose: true });
    logger.debug('fine');
    logger.error(
      'call failed',
      { header: 'Bearer abcdefghijklmnop' },
      new TypeError('key sk-abcdefghijklmnopqrstuvwx', { cause: new RangeError('no Bearer abcdefghijklmnop') }),
    );
    logger.close();
    const text = await readFile(file, 'utf8');
    expect(text).not.toContain('ghijklmnop');
    expect(text).toContain('TypeError: key');
    const [, failed, ...more] = await lines();
    expect(failed).toMatchObject({ because: expect.stringMatching(/^RangeError: no /) });
    expect(more).toEqual([]);
  });

  it('redacts secrets inside quotes and by field name, and stays valid JSON', async () => {
    const logger = createFileLogger({ file, clock: systemClock });
    logger.info('failed', { error: '{"api_key": "hunter2hunter2"}', after: 'kept' });
    logger.info('password: "hunter2hunter2"', { after: 'kept' });
    logger.info('key', { text: '-----BEGIN PRIVATE KEY-----\nhunter2', after: 'kept' });
    logger.info('named', { apiKey: 'hunter2', headers: { cookie: 'hunter2', accept: 'x' }, tokens: 5, after: 'kept' });
    logger.close();
    expect(await readFile(file, 'utf8')).not.toContain('hunter2');
    const written = await lines();
    expect(written).toHaveLength(4);
    for (const line of written) expect(line).toMatchObject({ after: 'kept' });
    expect(written[3]).toMatchObject({ apiKey: '***', headers: { cookie: '***', accept: 'x' }, tokens: 5 });
  });

  verifies('OBS-1', 'rotates once and loses no line when several processes share the log', async () => {
    const options = { file, clock: systemClock, maxBytes: 400, files: 30 };
    const loggers = [createFileLogger(options), createFileLogger(options), createFileLogger(options)];
    for (let at = 0; at < 60; at += 1) loggers[at % 3]?.info(`line ${at}.`);
    for (const logger of loggers) logger.close();
    const names = await readdir(join(folder, 'logs'));
    const texts = await Promise.all(names.map((name) => readFile(join(folder, 'logs', name), 'utf8')));
    for (let at = 0; at < 60; at += 1) expect(texts.join('')).toContain(`line ${at}.`);
    // All processes write to the current file; none continues with a rotated one.
    for (const text of texts) {
      const numbers = [...text.matchAll(/line (\d+)\./g)].map(([, number]) => Number(number));
      expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
    }
  });

  verifies('OBS-1', 'keeps a limited number of files of a limited size', async () => {
    const logger = createFileLogger({ file, clock: systemClock, maxBytes: 400, files: 3 });
    for (let at = 0; at < 60; at += 1) logger.info(`line ${at}`);
    logger.close();
    const names = await readdir(join(folder, 'logs'));
    expect(names.sort()).toEqual(['agent.log', 'agent.log.1', 'agent.log.2']);
    for (const name of names) expect((await stat(join(folder, 'logs', name))).size).toBeLessThan(600);
    expect(await readFile(file, 'utf8')).toContain('line 59');
  });

  it('truncates a line that is too long and stays valid JSON', async () => {
    const logger = createFileLogger({ file, clock: systemClock });
    logger.warn('long', { sessionId: 's', text: 'x'.repeat(100_000) });
    logger.close();
    expect((await readFile(file, 'utf8')).length).toBeLessThan(40_000);
    expect(await lines()).toEqual([expect.objectContaining({ level: 'warn', message: 'long', sessionId: 's' })]);
  });

  it('ignores write errors', async () => {
    await writeFile(join(folder, 'logs'), 'a file where the folder should be');
    expect(() => createFileLogger({ file, clock: systemClock }).info('lost')).not.toThrow();
  });
});
