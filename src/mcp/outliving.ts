import type { spawn } from 'node:child_process';

/**
 * Is told the mark, and waits for the end of its input. One more line means that all is well; without it whoever held the
 * other end was killed, and then the group of the server is ended, and what carries its mark in a group of its own.
 */
const WATCH = [
  // Half a mark is none: everything would match an empty one.
  'read -r mark || mark=',
  'read -r _ && exit 0',
  'kill -s TERM -- "-$1" 2>/dev/null && sleep 2',
  'kill -s KILL -- "-$1" 2>/dev/null',
  '[ -n "$mark" ] || exit 0',
  'for file in $(grep -lsF -- "$mark" /proc/[0-9]*/environ 2>/dev/null); do',
  '  pid=${file#/proc/}; kill -s KILL "${pid%/environ}" 2>/dev/null',
  'done',
].join('\n');

/**
 * Most servers end with their input, but some do not mind it, and a program that is killed cannot end them. A small shell
 * stays beside each for that. Returns how to send it away once the server is ended.
 */
export function watchForOutliving(start: typeof spawn, tree: { pid: number; mark: string }): () => void {
  const watch = start('/bin/sh', ['-c', WATCH, 'sh', String(tree.pid)], {
    // The mark is in none of its variables, or it would be ended with the server.
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a shell a server is watched by nobody, as it is of no use to anybody either.
  watch.on('error', () => undefined);
  watch.stdin?.on('error', () => undefined);
  watch.stdin?.write(`${tree.mark}\n`);
  watch.unref();
  return () => watch.stdin?.end('\n');
}
