import type { SlashCommand } from '../slash-command.ts';

const load = () => import('../commands/model.ts');
const completions = () => import('../completions.ts');

/** Commands about who answers, and how. */
export const MODEL_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'model',
    group: 'model',
    about: 'show the model, or change it for this session; --save for good',
    argument: '[[PROVIDER] NAME] [--save]',
    examples: [
      { line: '/model claude-sonnet-5', does: 'another model of the same provider' },
      { line: '/model ollama qwen3 --save', does: 'another provider, from now on' },
    ],
    duringTurn: 'afterwards',
    complete: async (context, typed) => (await completions()).completeModel(context, typed),
    run: async (context, argument) => (await load()).runModelCommand('model', context, argument),
  },
  {
    name: 'reasoning',
    group: 'model',
    about: 'show how much the model thinks, or change it',
    argument: '[LEVEL] [--save]',
    examples: [{ line: '/reasoning high', does: 'from the next request on' }],
    duringTurn: 'at once',
    complete: async (_, typed) => (await completions()).completeLevel(typed),
    run: async (context, argument) => (await load()).runModelCommand('reasoning', context, argument),
  },
  {
    name: 'fast',
    group: 'model',
    about: 'show whether answers are bought faster, or change it',
    argument: '[on | off] [--save]',
    duringTurn: 'at once',
    complete: async (_, typed) => (await completions()).completeWord(['on', 'off'], typed),
    run: async (context, argument) => (await load()).runModelCommand('fast', context, argument),
  },
  {
    name: 'personality',
    group: 'model',
    about: 'show the ways to speak, or choose one for this session',
    argument: '[NAME | none]',
    examples: [{ line: '/personality concise', does: 'from the next message on' }],
    duringTurn: 'afterwards',
    complete: async (context, typed) => (await completions()).completePersonality(context, typed),
    run: async (context, argument) => (await import('../commands/choices.ts')).personalityCommand(context, argument),
  },
];
