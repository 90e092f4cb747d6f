import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { operatingSystem } from './facts.ts';

/** Indexes of `env_start` and `env_end` in /proc/self/stat, counted after the process name. */
const BLOCK_START = 47;
const BLOCK_END = 48;

type Value = { name: string; from: number; length: number };

/**
 * Overwrites variables in this process's /proc/self/environ. Commands do not inherit them, but could read them there,
 * because the kernel shows the memory block that the process was started with. Each variable is set again, which moves
 * its value elsewhere in memory, and then the old bytes are overwritten. Linux only; if the memory cannot be written,
 * nothing changes.
 */
export function overwriteStartVariables(isSecret: (name: string, value: string) => boolean): void {
  if (operatingSystem() !== 'linux') return;
  try {
    const block = readFileSync('/proc/self/environ');
    const values = secretValues(block, isSecret);
    if (values.length > 0 && isMainThread()) overwrite(values, block.length);
  } catch {
    // Without /proc the variables cannot be read either.
  }
}

/** Worker threads have a copy of the variables; the original block is still in use there. */
function isMainThread(): boolean {
  return process.getBuiltinModule('node:worker_threads').isMainThread;
}

function secretValues(block: Buffer, isSecret: (name: string, value: string) => boolean): Value[] {
  const found: Value[] = [];
  for (let at = 0; at < block.length; ) {
    const end = block.indexOf(0, at) < 0 ? block.length : block.indexOf(0, at);
    const equals = block.indexOf('=', at);
    if (equals > at && equals < end) {
      const [name, value] = [block.toString('utf8', at, equals), block.toString('utf8', equals + 1, end)];
      const from = equals + 1;
      if (isSecret(name, value) && !/^\**$/.test(value)) found.push({ name, from, length: end - from });
    }
    at = end + 1;
  }
  return found;
}

function overwrite(values: readonly Value[], blockLength: number): void {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [start, end] = [Number(fields[BLOCK_START]), Number(fields[BLOCK_END])];
  // The range is unknown or does not match: do not write to a wrong address.
  if (!(start > 0) || end - start !== blockLength) return;
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    for (const { name, from, length } of values) {
      const value = process.env[name];
      // A variable that has been deleted since the start is overwritten as well.
      if (value !== undefined) process.env[name] = value;
      writeSync(memory, Buffer.alloc(length, '*'), 0, length, start + from);
    }
  } finally {
    closeSync(memory);
  }
}
