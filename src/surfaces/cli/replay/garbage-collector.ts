import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Returns a function that collects all garbage. Node has enough memory to postpone that for long, so a command that
 * creates much garbage needs several times the memory of its data otherwise.
 */
export function createGarbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
