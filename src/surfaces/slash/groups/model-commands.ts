import type { SlashCommand } from '../slash-command.ts';

const load = () => import('../commands/model.ts');
const completions = () => import('../completions.ts');

/** Commands about the model and how it answers. */
export const MODEL_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'model',
    group: 'model',
    about: 'select the model of this session, or show it; --save makes it the default',
    argument: '[[PROVIDER] NAME] [--save]',
    examples: [
      { line: '/model claude-sonnet-5', does: 'another model of the same provider' },
      { line: '/model ollama qwen3 --save', does: 'another provider, saved as the default' },
    ],
    duringTurn: 'afterwards',
    complete: async (context, typed) => (await completions()).completeModel(context, typed),
    run: async (context, argument) => (await load()).modelOrPick(context, argument),
  },
  {
    name: 'reasoning',
    group: 'model',
    about: 'show or change the reasoning effort',
    argument: '[LEVEL] [--save]',
    examples: [{ line: '/reasoning high', does: 'starting with the next request' }],
    duringTurn: 'immediately',
    complete: async (_, typed) => (await completions()).completeLevel(typed),
    run: async (context, argument) => (await load()).runModelCommand('reasoning', context, argument),
  },
  {
    name: 'fast',
    group: 'model',
    about: 'show or change whether the priority service tier is used',
    argument: '[on | off] [--save]',
    duringTurn: 'immediately',
    complete: async (_, typed) => (await completions()).completeWord(['on', 'off'], typed),
    run: async (context, argument) => (await load()).runModelCommand('fast', context, argument),
  },
  {
    name: 'personality',
    group: 'model',
    about: 'list the personalities, or select one for this session',
    argument: '[NAME | none]',
    examples: [{ line: '/personality concise', does: 'starting with the next message' }],
    duringTurn: 'afterwards',
    complete: async (context, typed) => (await completions()).completePersonality(context, typed),
    run: async (context, argument) => (await import('../commands/choices.ts')).personalityCommand(context, argument),
  },
];
