import type { Rule } from './rule.ts';

/** Executing tool calls (TOOLX), the registry and the built-in tools (TOOL), and approvals (APPR). */
export const TOOL_RULES = {
  'APPR-1': {
    behaviour:
      'A command is normalised and parsed as shell, and dangerous operations are detected however they are wrapped.',
    state: 'done',
  },
  'APPR-2': {
    behaviour: 'Approvals are manual, smart or off; a short list of destructive commands is blocked in every mode.',
    state: 'done',
  },
  'APPR-3': {
    behaviour: 'An approval holds once, for the session or always; if no user can be asked, the answer is deny.',
    state: 'partial',
    note: 'already there: the terminal, chats, editors and the API server, where questions outlive a restart only in chats; missing: asynchronous questions on the other surfaces',
  },
  'APPR-4': {
    behaviour:
      'File tools protect credentials, startup files, system paths and our own configuration as the terminal does.',
    state: 'done',
  },
  'APPR-5': {
    behaviour: 'Writing outside the working directory needs approval; plan mode runs read-only tools only.',
    state: 'done',
  },
  'APPR-6': {
    behaviour:
      'Everything a command touches is resolved before it is judged: environment, globs, links, directories, and the scripts and build targets it runs.',
    state: 'done',
  },
  'APPR-7': {
    behaviour:
      'Where the sandbox can run, it is offered as the normal way to work: commands inside it need no approval, commands that must leave it do.',
    state: 'done',
  },
  'TOOL-1': {
    behaviour:
      'A tool is one module that declares everything about itself; a broken module is skipped, and a name collision is resolved by order.',
    state: 'done',
  },
  'TOOL-2': { behaviour: 'Only tools whose availability check passes are offered to the model.', state: 'done' },
  'TOOL-3': {
    behaviour: 'Tool sets group tools, can be combined, enabled and disabled, and keep their legacy names.',
    state: 'done',
  },
  'TOOL-4': { behaviour: 'A description never mentions a tool that is not present.', state: 'done' },
  'TOOL-5': {
    behaviour:
      'The built-in tools cover commands, files, code, web, browser, media, memory, skills, delegation, jobs and messages.',
    state: 'done',
  },
  'TOOL-6': {
    behaviour: 'Commands run in one of several backends, and file tools act in the same backend.',
    state: 'done',
  },
  'TOOL-7': { behaviour: 'No tool blocks the event loop for long.', state: 'done' },
  'TOOL-8': {
    behaviour:
      'The fixed cost of a call stays under 4,500 tokens and is measured; within that limit, descriptions are complete. Many foreign tools are reached through search.',
    state: 'done',
  },
  'TOOL-9': {
    behaviour: 'External text is marked as untrusted, and forged delimiters in it are neutralised.',
    state: 'done',
  },
  'TOOL-10': {
    behaviour:
      'URLs that a tool fetches are checked after DNS resolution and on each redirect, and the connection is pinned.',
    state: 'done',
    note: 'a browser that is already running resolves names and follows redirects itself; its requests are checked before and after',
  },
  'TOOL-11': {
    behaviour:
      'Models that accept images receive them in tool results; where the API or the model cannot, they follow in the next user part or are described.',
    state: 'partial',
    note: 'already there: read_file and MCP tools; missing: screenshots, which browser_vision only describes',
  },
  'TOOL-12': {
    behaviour:
      'Repeating the same call with the same result is noticed after 3 calls and stops the turn after agent.max_identical_calls, for every tool; changing results are not a loop.',
    state: 'done',
  },
  'TOOLX-1': {
    behaviour:
      'A near miss of a tool name is repaired, and names of other agents are mapped; any other name gets an error result that lists the tools.',
    state: 'done',
  },
  'TOOLX-2': {
    behaviour:
      'Arguments are repaired only where the repair is unambiguous, and coerced to the schema; otherwise the call is retried, then answered with an error.',
    state: 'done',
  },
  'TOOLX-3': {
    behaviour:
      'Calls of a batch run concurrently as far as they declare it, eight at most; results stay in call order, and identical calls run once.',
    state: 'done',
  },
  'TOOLX-4': {
    behaviour: 'A call passes hooks, approval, its handler and hooks again before its result is appended.',
    state: 'done',
  },
  'TOOLX-5': {
    behaviour:
      'Tools on agent state use the same dispatch path with explicit access, and return an error without an agent.',
    state: 'done',
  },
  'TOOLX-6': {
    behaviour:
      'An exception becomes a readable error result, and an oversized result is truncated with the full text saved to a file.',
    state: 'done',
  },
  'TOOLX-7': {
    behaviour:
      'The store keeps the call as the model wrote it; repairs are used for execution only, and unusable arguments are sent back as an empty object.',
    state: 'done',
  },
} as const satisfies Record<string, Rule>;
