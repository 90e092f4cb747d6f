/** `1 line`, `3 matches`, `12,000 files`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

/** Those of subagents are counted apart: nobody had a conversation there. */
export function describeSessionCount({ sessions, subagents }: { sessions: number; subagents: number }): string {
  return subagents === 0 ? String(sessions) : `${sessions}, and ${subagents} of subagents`;
}
