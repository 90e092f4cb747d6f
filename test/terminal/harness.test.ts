import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { useCliFixture } from '../support/cli-fixture.ts';
import { openTerminal } from '../support/open-terminal.ts';
import { linesPerFrame } from '../support/pty/frames.ts';
import { processTree } from '../support/pty/process-tree.ts';

const cli = useCliFixture();
const shell = (script: string, size: { columns?: number; rows?: number } = {}) =>
  openTerminal({ home: cli.home, script, ...size });

describe('the test terminal', () => {
  it('shows the output, joins wrapped lines, and keeps the scrollback', async () => {
    const terminal = shell('seq 1 30; printf "%0100d|  two\\n" 7; printf "字😀e\u0301|"; cat', {
      columns: 40,
      rows: 5,
    });
    await terminal.until('é|'.normalize('NFD'));
    expect(terminal.screen()).toEqual([
      '30',
      '0'.repeat(40),
      '0'.repeat(40),
      `${'0'.repeat(19)}7|  two`,
      '字😀e\u0301|',
    ]);
    expect(terminal.emulator.terminal.buffer.active.cursorX).toBe(6);
    const all = terminal.scrollback();
    expect(all.slice(0, 2)).toEqual(['1', '2']);
    expect(all.slice(-2)).toEqual([`${'0'.repeat(99)}7|  two`, '字😀e\u0301|']);
    terminal.resize(200, 5);
    expect(terminal.screen()).toContain(`${'0'.repeat(99)}7|  two`);
  });

  it('sends keys and pastes, answers queries, and counts clears', async () => {
    const terminal = openTerminal({
      home: cli.home,
      background: 'light',
      script:
        'stty raw -echo; printf "\\033[c\\033]11;?\\007ready"; head -c 60 | od -c; printf "\\033[2J\\033[3J\\033[H\\033[Jdone"',
    });
    await terminal.until('ready');
    terminal.press('up', 'ctrl-c', 'alt-b');
    terminal.paste('a\nb');
    terminal.type('x'.repeat(40));
    await terminal.until('done');
    const seen = terminal.bytes();
    expect(seen).toMatch(/033 {3}\[ {3}\? {3}1 {3}; {3}2 {3}c 033 {3}\]/);
    expect(seen).toMatch(/r {3}g {3}b {3}: {0,3}\s+\d+ {3}f {3}f {3}f {3}f/);
    expect(seen).toMatch(/033 {3}\[ {3}A 003 033 {3}b 033 {3}\[ {3}2 {3}0 {3}0 {3}~ {3}a {2}\\r {3}b 033/);
    expect(terminal.emulator.clears).toEqual({ screen: 2, scrollback: 1, alternate: 0 });
  });

  it('reports the screen if something does not appear, and kills all processes', async () => {
    const terminal = shell('echo hello; sleep 100 & wait');
    await terminal.until('hello');
    const pids = processTree(terminal.pid()).map(({ pid }) => pid);
    expect(pids).toHaveLength(2);
    const waits = terminal.until('never');
    await Promise.all([
      expect(waits).rejects.toThrow(/"never" did not appear: the program exited[^]*│hello/),
      terminal.end(),
    ]);
    // An exited process may still be listed as a zombie.
    const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', pids.join(',')], { encoding: 'utf8' });
    expect(stdout).not.toMatch(/^[^Z\s]/m);
  });

  it('counts the lines that a frame draws', () => {
    const [begin, end] = ['\u001b[?2026h', '\u001b[?2026l'];
    expect(linesPerFrame(`text${begin}\u001b[2A\r\u001b[31mone\u001b[0m\r\n\r\n\u001b[Kthree${end}`)).toEqual([2]);
    expect(linesPerFrame(`${begin}\u001b[5;1H\u001b[?25l${end}${begin}\u001b[J${end}`)).toEqual([0, 1]);
  });
});
