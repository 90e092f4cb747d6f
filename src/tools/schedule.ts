import { dirname } from 'node:path';
import type { Concurrency, Environment } from '../contracts/index.ts';
import type { ReadyCall } from './run-call.ts';
import type { Tool } from './tool.ts';

const BARRIER: Concurrency = { mode: 'barrier' };

/** The concurrency scope of a call with resolved paths. A call whose scope cannot be determined runs alone. */
export async function scopeOf(ready: ReadyCall, tool: Tool, environment: Environment): Promise<Concurrency> {
  try {
    const declared = (await tool.load()).concurrencyOf(ready.args);
    if (declared.mode !== 'paths') return declared;
    const paths = await Promise.all(declared.paths.map((path) => environment.resolvePath(path)));
    return { ...declared, paths };
  } catch {
    return BARRIER;
  }
}

/** Schedules the calls of one batch. The cost per call does not grow with the batch. */
export interface CallSchedule {
  /** Starts a call as soon as all earlier conflicting calls have finished. */
  add<Result>(scope: Concurrency, start: () => Promise<Result>): Promise<Result>;
}

/** All calls of one kind so far, as a promise that settles when all of them have settled. */
type Group = Promise<unknown> | undefined;
type Touched = { reads: Group; writes: Group };
/** The calls on a path itself (`here`) and on anything below it (`below`). */
type PathEntry = { here: Touched; below: Touched };

export function createCallSchedule(): CallSchedule {
  let everything: Group;
  let lastBarrier: Group;
  const paths = new Map<string, PathEntry>();

  function entryOf(path: string): PathEntry {
    let entry = paths.get(path);
    if (!entry) {
      entry = { here: { reads: undefined, writes: undefined }, below: { reads: undefined, writes: undefined } };
      paths.set(path, entry);
    }
    return entry;
  }

  function conflicting(scope: Concurrency): Group[] {
    if (scope.mode === 'barrier') return [everything];
    if (scope.mode === 'parallel') return [lastBarrier];
    const readers = scope.access === 'write';
    const groups = (touched: Touched) => (readers ? [touched.reads, touched.writes] : [touched.writes]);
    // A directory contains everything below it, so both directions conflict.
    const onPaths = scope.paths.flatMap((path) => [
      ...groups(entryOf(path).below),
      ...[path, ...parentDirectories(path)].flatMap((location) => groups(entryOf(location).here)),
    ]);
    return [lastBarrier, ...onPaths];
  }

  function enter(scope: Concurrency, finished: Promise<unknown>): void {
    everything = joinGroups(everything, finished);
    if (scope.mode === 'barrier') {
      lastBarrier = finished;
      // The barrier waited for all earlier calls, and all later calls wait for the barrier.
      everything = finished;
      paths.clear();
    }
    if (scope.mode !== 'paths') return;
    const kind = scope.access === 'read' ? 'reads' : 'writes';
    for (const path of scope.paths) {
      const { here } = entryOf(path);
      here[kind] = joinGroups(here[kind], finished);
      for (const folder of parentDirectories(path)) {
        const { below } = entryOf(folder);
        below[kind] = joinGroups(below[kind], finished);
      }
    }
  }

  return {
    add(scope, start) {
      const before = conflicting(scope).filter((group) => group !== undefined);
      const finished = Promise.all(before).then(start);
      // Waiting calls continue whether this one succeeds or fails.
      enter(scope, finished.then(ignore, ignore));
      return finished;
    },
  };
}

const ignore = () => undefined;

function joinGroups(group: Group, added: Promise<unknown>): Promise<unknown> {
  return group === undefined ? added : Promise.all([group, added]);
}

function parentDirectories(path: string): string[] {
  const folders: string[] = [];
  for (let at = path, next = dirname(at); next !== at; at = next, next = dirname(at)) folders.push(next);
  return folders;
}
