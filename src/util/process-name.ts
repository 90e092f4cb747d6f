import { processScope, processStartTime } from './operating-system/index.ts';

/** How this process is called in the store: the start time tells it from a later process with the same id. */
export function processName(): string {
  return `process ${process.pid} in ${processScope()}, started ${processStartTime(process.pid)}`;
}

const NAME = /^process (\d+) in (.*), started (\S+)$/;

/** Whether the process with this name has died; undefined if it runs somewhere else or has another name. */
export function hasDied(name: string): boolean | undefined {
  const [, pid, scope, started] = NAME.exec(name) ?? [];
  return scope === processScope() ? processStartTime(Number(pid)) !== started : undefined;
}
