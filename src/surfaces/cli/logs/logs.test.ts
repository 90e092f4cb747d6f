import { mkdirSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CAUGHT_UP, followLog, readLastLines } from './log-files.ts';
import { matchesFilter, parseSince, readLogLine } from './log-entry.ts';

function makeLog(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-logs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'logs'));
  return join(folder, 'logs', 'agent.log');
}

describe('a log line', () => {
  it('is parsed in the formats of several programs', () => {
    expect(
      readLogLine('{"at":"2026-05-01T10:00:00.000Z","level":"warn","message":"m","sessionId":"s","kind":"k"}'),
    ).toEqual({
      at: Date.UTC(2026, 4, 1, 10),
      level: 'warn',
      message: 'm',
      sessionId: 's',
      fields: { kind: 'k' },
    });
    expect(readLogLine('2026-05-01 10:00:00,123 - agent - WARNING - slow')).toMatchObject({
      at: new Date(2026, 4, 1, 10).getTime(),
      level: 'warn',
      message: expect.stringContaining('slow'),
    });
  });

  it('is never rejected', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        const entry = readLogLine(line);
        expect(typeof entry.message).toBe('string');
        expect(matchesFilter({ level: 'error', since: 5, sessions: ['x'] }, entry)).toBe(false);
      }),
    );
  });

  it('is filtered by level, time and session', () => {
    const entry = readLogLine('{"at":"2026-05-01T10:00:00.000Z","level":"warn","message":"m","sessionId":"abcdef"}');
    const at = entry.at ?? 0;
    expect(
      [{}, { level: 'info' as const }, { since: at }, { sessions: ['abcd'] }].map((one) => matchesFilter(one, entry)),
    ).toEqual([true, true, true, true]);
    expect(
      [{ level: 'error' as const }, { since: at + 1 }, { sessions: ['bc'] }].map((one) => matchesFilter(one, entry)),
    ).toEqual([false, false, false]);
    expect([parseSince('30m', 1e12), parseSince('2h', 1e12), parseSince('1d', 1e12)]).toEqual([
      1e12 - 1_800_000,
      1e12 - 7_200_000,
      1e12 - 86_400_000,
    ]);
    expect(parseSince('2026-05-01T10:00:00Z')).toBe(at);
    for (const text of ['soon', '5', '-1h', '']) expect(() => parseSince(text)).toThrow(/such as 30m/);
  });
});

describe('following a log', () => {
  it('yields every line once, across rotations and truncations', async () => {
    const file = makeLog();
    writeFileSync(`${file}.2`, 'a\n');
    writeFileSync(`${file}.1`, 'b\n');
    writeFileSync(file, 'c\nhalf');
    const stopping = new AbortController();
    const lines = followLog(file, stopping.signal);
    const take = async (count: number) => {
      const taken: unknown[] = [];
      for (let at = 0; at < count; at += 1) taken.push((await lines.next()).value);
      return taken;
    };
    expect(await take(4)).toEqual(['a', 'b', 'c', CAUGHT_UP]);
    await appendFile(file, ' a line\nlast of the first\n');
    for (const name of ['second', 'third']) {
      renameSync(`${file}.1`, `${file}.2`);
      renameSync(file, `${file}.1`);
      writeFileSync(file, `${name} €\n`);
    }
    expect(await take(4)).toEqual(['half a line', 'last of the first', 'second €', 'third €']);
    truncateSync(file);
    const next = lines.next();
    await appendFile(file, 'again\n');
    expect((await next).value).toBe('again');
    const waiting = lines.next();
    stopping.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('waits for a log that does not exist yet', async () => {
    const file = makeLog();
    const stopping = new AbortController();
    const lines = followLog(file, stopping.signal);
    expect((await lines.next()).value).toBe(CAUGHT_UP);
    const next = lines.next();
    await appendFile(file, 'first\n');
    expect((await next).value).toBe('first');
    await lines.return(undefined);
  });

  it('yields the same lines as reading the last lines', async () => {
    const file = makeLog();
    writeFileSync(`${file}.1`, Array.from({ length: 500 }, (_, at) => `old ${at}\n`).join(''));
    writeFileSync(file, Array.from({ length: 500 }, (_, at) => `new ${at}\n`).join(''));
    expect(await readLastLines(file, 2, {})).toEqual({ lines: ['new 498', 'new 499'], left: 998 });
    expect((await readLastLines(file, 600, {})).lines[0]).toBe('old 400');
    expect(await readLastLines(`${file}x`, 5, {})).toEqual({ lines: [], left: 0 });
  });
});
