/** Formats a count with its noun: `1 line`, `3 matches`, `12,000 files`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

/** Subagent sessions are counted separately, because the user took no part in them. */
export function describeSessionCount({ sessions, subagents }: { sessions: number; subagents: number }): string {
  return subagents === 0 ? String(sessions) : `${sessions}, plus ${subagents} of subagents`;
}
