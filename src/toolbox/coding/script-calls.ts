import { isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import type { Interaction, ToolContext, ToolOutcome } from '../../contracts/index.ts';
import type { ToolAnswer } from './tool-server.ts';

/** What a script can call, where its agent has it. */
export const REACHABLE: readonly string[] = [
  ...['read_file', 'write_file', 'patch', 'search_files', 'terminal', 'web_search', 'web_extract'],
];

/** Arguments of `terminal` for what goes on when the script is over. */
const BACKGROUND = ['background', 'pty', 'notify_on_complete', 'watch_patterns'];

export type ScriptCallsOptions = {
  tools: ToolContext['tools'];
  maxCalls: number;
  signal: AbortSignal;
  interaction: Interaction;
};

/** Answers the calls of one script: each goes the way of any other call, with its approvals, hooks and redaction. */
export function createScriptCalls({ tools, maxCalls, signal, interaction }: ScriptCallsOptions) {
  let count = 0;
  const running = new Set<Promise<unknown>>();

  async function answer(name: string, args: JsonObject): Promise<ToolAnswer> {
    const there = (await tools.names()).filter((each) => REACHABLE.includes(each));
    if (!there.includes(name)) return refuse(`A script has no tool ${name}. It has: ${there.join(', ')}.`);
    const beyond = name === 'terminal' ? BACKGROUND.find((each) => args[each]) : undefined;
    if (beyond !== undefined) return refuse(`${beyond} is not for scripts: their commands run in the foreground.`);
    if (count >= maxCalls) return refuse(`A script may call tools ${maxCalls} times, and has.`);
    count += 1;
    const call = tools.call(name, args, { signal, interaction });
    running.add(call);
    const outcome = await call.finally(() => running.delete(call));
    return toAnswer(name === 'read_file' ? { ...outcome, content: withoutNumbers(outcome.content, args) } : outcome);
  }

  return {
    answer,
    count: () => count,
    async settled() {
      await Promise.allSettled(running);
    },
  };
}

function refuse(text: string): ToolAnswer {
  return { ok: false, text };
}

/** A program works on what stands in a file, and the numbers of its lines do not. */
function withoutNumbers(text: string, { offset }: JsonObject): string {
  let number = Math.max(typeof offset === 'number' ? offset : 1, 1);
  return text
    .split('\n')
    .map((line) => {
      if (!line.startsWith(`${number}|`)) return line;
      number += 1;
      return line.slice(`${number - 1}|`.length);
    })
    .join('\n');
}

/** A command that failed still has its output, and says how it ended; everything else that failed has a reason. */
function toAnswer({ status, content }: ToolOutcome): ToolAnswer {
  if (status === 'ok') return { ok: true, text: content };
  const parsed = parseJson(content);
  const reason = isJsonObject(parsed) && typeof parsed['error'] === 'string' ? parsed['error'] : undefined;
  return reason === undefined ? { ok: status === 'error', text: content } : { ok: false, text: reason };
}
