import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

const parameters = z.object({
  text: z.string().check(z.minLength(1)),
  output_path: z.optional(z.string().check(z.minLength(1), z.describe('its ending says the format: .mp3, .wav, …'))),
  speed: z.optional(z.number().check(z.gte(0.25), z.lte(4))),
});

export type SpeechArguments = z.output<typeof parameters>;

export const textToSpeechTool = defineTool({
  name: 'text_to_speech',
  toolset: 'tts',
  emoji: '🔊',
  asksBefore: 'writing to protected places and outside of the working directory',
  description: 'Have a text read out. It is saved as a sound file, whose path is the answer.',
  parameters,
  concurrency: ({ output_path }) =>
    output_path === undefined ? { mode: 'parallel' } : { mode: 'paths', access: 'write', paths: [output_path] },
  requiredServices: ['speechMaker'],
  async run(args, context) {
    // Loaded when it is first used, with all that it needs.
    const { speak } = await import('./media/speak.ts');
    return speak(args, context);
  },
});
