import type { SlashCommand } from '../slash-command.ts';

/** Commands about what the agent can do, and what it knows. */
export const TOOL_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'tools',
    group: 'tools',
    about: 'show the tools of this session, and why others are missing',
    duringTurn: 'at once',
    run: async (context) => (await import('../commands/tools.ts')).toolsCommand(context),
  },
  {
    name: 'toolsets',
    group: 'tools',
    about: 'show the tool sets, or switch one on or off for this session',
    argument: '[on NAME | off NAME]',
    examples: [{ line: '/toolsets off terminal', does: 'no commands in this session' }],
    duringTurn: 'afterwards',
    complete: async (context, typed) => (await import('../completions.ts')).completeToolset(context, typed),
    run: async (context, argument) => (await import('../commands/tools.ts')).toolsetsCommand(context, argument),
  },
  {
    name: 'rollback',
    group: 'tools',
    requiredRole: 'admin',
    about: 'show the checkpoints of the files, or go back to one after showing what that undoes',
    argument: '[N [PATH] | diff N]',
    examples: [
      { line: '/rollback 3', does: 'shows what has changed since checkpoint 3, asks, and undoes it' },
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
    about: 'switch the questions about dangerous commands off or on, in this session',
    argument: '[on | off]',
    examples: [{ line: '/yolo off', does: 'what could do harm asks first' }],
    duringTurn: 'at once',
    complete: async (_, typed) => (await import('../completions.ts')).completeWord(['on', 'off'], typed),
    run: async (context, argument) => (await import('../commands/choices.ts')).yoloCommand(context, argument),
  },
  {
    name: 'skills',
    group: 'tools',
    about: 'show the skills; /NAME, with words behind it, works by one',
    duringTurn: 'at once',
    run: async (context) => (await import('../commands/tools.ts')).skillsCommand(context),
  },
  {
    name: 'mcp',
    group: 'tools',
    about: 'show the MCP servers and how they are, or one with its tools',
    argument: '[NAME]',
    examples: [{ line: '/mcp files', does: 'the tools of the server files' }],
    duringTurn: 'at once',
    complete: async (context, typed) => (await import('../completions.ts')).completeServer(context, typed),
    run: async (context, argument) => (await import('../commands/mcp.ts')).mcpCommand(context, argument),
  },
  {
    name: 'reload-mcp',
    group: 'tools',
    requiredRole: 'admin',
    about: 'read the settings of MCP servers anew, and connect to all of them again',
    duringTurn: 'afterwards',
    run: async (context) => (await import('../commands/mcp.ts')).reloadMcpCommand(context),
  },
  {
    name: 'plugins',
    group: 'tools',
    about: 'show the plugins that are enabled, and what is wrong with them',
    duringTurn: 'at once',
    run: async (context) => (await import('../commands/tools.ts')).pluginsCommand(context),
  },
  {
    name: 'memory',
    group: 'tools',
    about: 'show what is remembered across sessions',
    duringTurn: 'at once',
    run: async ({ runtime, print }) =>
      print(await (await import('../../text/memory-text.ts')).memoryText(runtime.blueprint.settings)),
  },
  {
    name: 'reload',
    group: 'tools',
    requiredRole: 'admin',
    about: 'build the system prompt anew from its files, with the next message',
    duringTurn: 'at once',
    run({ session, print }) {
      session.opened().agent.renewPrompt();
      print('The system prompt is built anew with the next message.\n');
    },
  },
];
