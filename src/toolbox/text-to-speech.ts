import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

const parameters = z.object({
  text: z.string().check(z.minLength(1)),
  output_path: z.optional(
    z
      .string()
      .check(
        z.minLength(1),
        z.describe(
          'Path of the audio file to write. The extension selects the format: .mp3, .wav, .ogg, .flac or .aac, if the service supports it. Default: a new file in the current directory.',
        ),
      ),
  ),
  speed: z.optional(z.number().check(z.gte(0.25), z.lte(4), z.describe('Speaking speed as a factor; 1 is normal.'))),
});

export type SpeechArguments = z.output<typeof parameters>;

export const textToSpeechTool = defineTool({
  name: 'text_to_speech',
  toolset: 'tts',
  emoji: '🔊',
  asksBefore: 'writing to protected paths or outside the working directory',
  description:
    'Convert text to speech. The audio is saved to a file, and its path is returned. Every call costs money.',
  parameters,
  concurrency: ({ output_path }) =>
    output_path === undefined ? { mode: 'parallel' } : { mode: 'paths', access: 'write', paths: [output_path] },
  requiredServices: ['speechService'],
  async run(args, context) {
    // Loaded on first use, together with its dependencies.
    const { generateSpeech } = await import('./media/generate-speech.ts');
    return generateSpeech(args, context);
  },
});
