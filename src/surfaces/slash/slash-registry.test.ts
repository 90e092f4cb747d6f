import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { type Actor, OWNER } from '../../base/index.ts';
import type { Runtime } from '../../runtime/index.ts';
import { helpCommand } from './commands/chat.ts';
import { createSlashRegistry, isSlashCommand, SLASH_COMMANDS, type SlashCommand, type SlashContext } from './index.ts';

const plain = (text: string) => text;
const STYLE = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain };

/** An inactive chat with one skill. */
function openChat(
  registry = createSlashRegistry(SLASH_COMMANDS),
  surface: SlashContext['surface'] = 'terminal',
  actor: Actor = OWNER,
) {
  const said: string[] = [];
  const sent: (string | undefined)[][] = [];
  const skills = {
    inventory: async () => ({ skills: [{ name: 'code-review' }], faults: [] }),
    invoke: async (name: string, words: string) => (name === 'code-review' ? `Review: ${words}` : undefined),
  };
  const context = {
    surface,
    actor,
    registry,
    style: STYLE,
    print: (text: string) => said.push(text),
    runtime: { skills: () => skills, logger: { warn: () => undefined } } as unknown as Runtime,
    turns: {
      isRunning: () => false,
      interrupt: () => undefined,
      lastCall: () => undefined,
      send: async (...line: (string | undefined)[]) => void sent.push(line),
    },
  } as unknown as SlashContext;
  return { context, registry, said: () => said.splice(0).join(''), sent };
}

const GREET: SlashCommand = {
  name: 'greet',
  aliases: ['hello'],
  group: 'chat',
  about: 'say hello',
  duringTurn: 'immediately',
  run: ({ print }, argument) => print(`Hello ${argument}\n`),
};

describe('the command registry', () => {
  it('refuses a command to an actor without the required role', async () => {
    const guarded: SlashCommand = {
      ...GREET,
      name: 'guarded',
      aliases: [],
      requiredRole: 'admin',
      run: ({ print }) => print('done'),
    };
    const open: SlashCommand = { ...GREET, requiredRole: 'guest', run: ({ print }) => print('hello') };
    const registry = createSlashRegistry([guarded, open]);
    const as = (role: Actor['role']) => openChat(registry, 'gateway', { id: 'telegram:7', role });
    await expect(registry.runSlashCommand('/guarded', as('user').context)).rejects.toThrow(
      '/guarded requires the role admin; you have the role user.',
    );
    for (const role of ['owner', 'admin'] as const) {
      const chat = as(role);
      await registry.runSlashCommand('/guarded', chat.context);
      expect(chat.said()).toBe('done');
    }
    const guest = as('guest');
    await registry.runSlashCommand('/greet', guest.context);
    expect(guest.said()).toBe('hello');
    expect(SLASH_COMMANDS.filter(({ requiredRole }) => requiredRole === 'admin').map(({ name }) => name)).toContain(
      'yolo',
    );
  });

  verifies('SURF-3', 'finds a command by name or alias in any case, and passes the rest of the line', async () => {
    const { context, registry, said } = openChat();
    registry.add(GREET);
    for (const name of ['greet', 'hello', 'GREET']) await registry.runSlashCommand(`/${name}  all of\nyou `, context);
    expect(said()).toBe('Hello all of\nyou\n'.repeat(3));
  });

  verifies('SURF-3', 'runs a skill as a command, and suggests similar names for an unknown one', async () => {
    const { context, registry, said, sent } = openChat();
    await registry.runSlashCommand('/code-review src', context);
    expect(sent).toEqual([['/code-review src', 'Review: src']]);
    await registry.runSlashCommand('/comprss', context);
    await registry.runSlashCommand('/code-reviw', context);
    await registry.runSlashCommand('/zzzzzz', context);
    expect(said()).toMatch(
      /\/comprss\. Did you mean \/compress.*\n.*Did you mean \/code-review\?\n.*Use \/help and \/skills/,
    );
  });

  verifies('SURF-3', 'runs a command by a unique prefix, but a skill only by its whole name', async () => {
    const { context, registry, said, sent } = openChat();
    registry.add(GREET);
    registry.add({ ...GREET, name: 'code-style', aliases: [] });
    await registry.runSlashCommand('/gre you', context);
    expect(said()).toBe('Hello you\n');
    // The whole name of a skill takes precedence over a prefix of a command; a prefix of a skill runs nothing.
    registry.add({ ...GREET, name: 'code-review-all', aliases: [] });
    await registry.runSlashCommand('/code-review src', context);
    expect(sent.splice(0)).toEqual([['/code-review src', 'Review: src']]);
    for (const typed of ['/code', '/code-rev', '/re', '/cst']) await registry.runSlashCommand(typed, context);
    expect(sent).toEqual([]);
    expect(said().match(/Unknown command or skill/g)).toHaveLength(3);
  });

  verifies('SURF-3', 'adds and removes commands, and rejects a name that is taken', () => {
    const { registry } = openChat();
    const remove = registry.add(GREET);
    expect(registry.find('hello', 'terminal')).toBe(GREET);
    expect(() => registry.add({ ...GREET, name: 'other' })).toThrow('The slash command /hello already exists');
    // A refused command leaves none of its names behind.
    expect(registry.find('other', 'terminal')).toBeUndefined();
    expect(() => registry.add({ ...GREET, name: 'Two words', aliases: [] })).toThrow('"Two words" is not a valid name');
    remove();
    remove();
    expect(registry.find('hello', 'terminal')).toBeUndefined();
    expect(registry.listCommands()).toEqual(SLASH_COMMANDS);
  });

  it('lists only the commands of a surface', async () => {
    const { context, registry, said } = openChat(undefined, 'gateway');
    const names = registry.listCommands('gateway').map(({ name }) => name);
    expect(names).toContain('status');
    expect(names).not.toContain('copy');
    await registry.runSlashCommand('/copy', context);
    expect(said()).toBe('/copy is not available in a chat.\n');
  });

  it('says what happens to a line during a turn; skills and unknown names wait', () => {
    const { registry } = openChat();
    expect(
      ['/stop', '/new', '/code-review x', '/nothing'].map((line) => registry.duringTurn(line, 'terminal')),
    ).toEqual(['immediately', 'afterwards', 'afterwards', 'afterwards']);
  });

  it('completes arguments, and returns nothing if that fails', async () => {
    const { context, registry } = openChat();
    expect(await registry.completeArgument('help', 'insi', context)).toEqual([
      { value: 'insights', about: expect.stringContaining('cost') },
    ]);
    expect(await registry.completeArgument('reasoning', 'hi', context)).toEqual([{ value: 'high' }]);
    expect(await registry.completeArgument('no-such', '', context)).toEqual([]);
    registry.add({ ...GREET, complete: () => Promise.reject(new Error('no')) });
    expect(await registry.completeArgument('greet', '', context)).toEqual([]);
  });
});

describe('/help', () => {
  it('lists every command under its heading, and shows one with examples', () => {
    const { context, said, registry } = openChat();
    helpCommand(context, '');
    const all = said();
    for (const { name } of registry.listCommands('terminal')) expect(all).toMatch(new RegExp(`/${name} +\\S`));
    expect(all.indexOf('Conversation')).toBeLessThan(all.indexOf('Information'));
    helpCommand(context, '/compact');
    expect(said()).toMatch(/^\/compress \[TOPIC[^]*Also: \/compact[^]*Examples:[^]*\/compress the tests/);
    helpCommand(context, 'insigt');
    expect(said()).toBe('Unknown command /insigt. Did you mean /insights?\n');
  });

  it('has a short description of every command', () => {
    for (const { name, about, examples = [] } of SLASH_COMMANDS) {
      expect(about.length, name).toBeLessThan(90);
      expect(about, name).not.toMatch(/\.$|^[A-Z]/);
      for (const { line } of examples) expect(line.startsWith(`/${name}`), line).toBe(true);
    }
  });
});

it('distinguishes commands from paths and other text', () => {
  for (const line of ['/help', '/? ', '/code-review src', '/GPT5.fix']) expect(isSlashCommand(line), line).toBe(true);
  for (const line of ['/etc/hosts is odd', 'a /help', '/', '//', '/-x']) expect(isSlashCommand(line), line).toBe(false);
  fc.assert(fc.property(fc.string(), (line) => typeof isSlashCommand(line) === 'boolean'));
});
