import type { SlashCommand } from '../slash-command.ts';

/** Commands about tools, skills, plugins, files and memory. */
export const TOOL_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'tools',
    group: 'tools',
    about: 'list the tools of this session, and why others are unavailable',
    duringTurn: 'immediately',
    run: async (context) => (await import('../commands/tools.ts')).toolsCommand(context),
  },
  {
    name: 'toolsets',
    group: 'tools',
    about: 'list the tool sets, or enable or disable one for this session',
    argument: '[on NAME | off NAME]',
    examples: [{ line: '/toolsets off terminal', does: 'no shell commands in this session' }],
    duringTurn: 'afterwards',
    complete: async (context, typed) => (await import('../completions.ts')).completeToolset(context, typed),
    run: async (context, argument) => (await import('../commands/tools.ts')).toolsetsCommand(context, argument),
  },
  {
    name: 'rollback',
    group: 'tools',
    requiredRole: 'admin',
    about: 'list the checkpoints, or restore files to one after showing the changes',
    argument: '[N [PATH] | diff N]',
    examples: [
      { line: '/rollback 3', does: 'shows what changed since checkpoint 3, asks, and restores it' },
      { line: '/rollback 3 src/main.ts', does: 'only this file' },
    ],
    surfaces: ['terminal'],
    duringTurn: 'afterwards',
    run: async (context, argument) => (await import('../commands/rollback.ts')).rollbackCommand(context, argument),
  },
  {
    name: 'yolo',
    group: 'tools',
    requiredRole: 'admin',
    about: 'turn approval prompts for dangerous commands off or on for this session',
    argument: '[on | off]',
    examples: [{ line: '/yolo off', does: 'dangerous commands need approval again' }],
    duringTurn: 'immediately',
    complete: async (_, typed) => (await import('../completions.ts')).completeWord(['on', 'off'], typed),
    run: async (context, argument) => (await import('../commands/choices.ts')).yoloCommand(context, argument),
  },
  {
    name: 'sandbox',
    group: 'tools',
    requiredRole: 'admin',
    about: 'show whether commands run in the sandbox, or turn it on or off for this session',
    argument: '[on | off]',
    examples: [{ line: '/sandbox on', does: 'commands can write only to the working directory, and need no approval' }],
    duringTurn: 'afterwards',
    complete: async (_, typed) => (await import('../completions.ts')).completeWord(['on', 'off'], typed),
    run: async (context, argument) => (await import('../commands/sandbox.ts')).sandboxCommand(context, argument),
  },
  {
    name: 'skills',
    group: 'tools',
    about: 'list the skills; run one with /NAME and your request',
    duringTurn: 'immediately',
    run: async (context) => (await import('../commands/tools.ts')).skillsCommand(context),
  },
  {
    name: 'mcp',
    group: 'tools',
    about: 'list the MCP servers and their states, or show one with its tools',
    argument: '[NAME]',
    examples: [{ line: '/mcp files', does: 'lists the tools of the server "files"' }],
    duringTurn: 'immediately',
    complete: async (context, typed) => (await import('../completions.ts')).completeServer(context, typed),
    run: async (context, argument) => (await import('../commands/mcp.ts')).mcpCommand(context, argument),
  },
  {
    name: 'reload-mcp',
    group: 'tools',
    requiredRole: 'admin',
    about: 'reload the MCP server settings and reconnect',
    duringTurn: 'afterwards',
    run: async (context) => (await import('../commands/mcp.ts')).reloadMcpCommand(context),
  },
  {
    name: 'plugins',
    group: 'tools',
    about: 'list the enabled plugins and their errors',
    duringTurn: 'immediately',
    run: async (context) => (await import('../commands/tools.ts')).pluginsCommand(context),
  },
  {
    name: 'memory',
    group: 'tools',
    about: 'show the memory entries',
    duringTurn: 'immediately',
    run: async ({ runtime, print }) =>
      print(await (await import('../../text/memory-text.ts')).memoryText(runtime.blueprint.settings)),
  },
  {
    name: 'reload',
    group: 'tools',
    requiredRole: 'admin',
    about: 'rebuild the system prompt from its files before the next message',
    duringTurn: 'immediately',
    run({ session, print }) {
      session.opened().agent.renewPrompt();
      print('The system prompt will be rebuilt before the next message.\n');
    },
  },
];
