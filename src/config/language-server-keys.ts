import * as z from 'zod/mini';
import { DIAGNOSTICS_MODES } from './language-server-settings.ts';
import { amount, count, flag, names, oneOf, section, text } from './schema-parts.ts';

/** `language_servers.<name>`: how to start a language server, and for which files. */
export function languageServersSection() {
  const words = 'a list of strings: the program and its arguments';
  const server = z.looseObject(
    {
      // A program without arguments can be written as one string.
      command: z.optional(
        z.pipe(
          z.transform((value) => (typeof value === 'string' ? value.trim().split(/\s+/) : value)),
          z.array(text, words).check(z.minLength(1, words)),
        ),
      ),
      extensions: z.optional(names),
      language_id: z.optional(text),
      root_markers: z.optional(names),
      initialization_options: z.optional(z.record(z.string(), z.unknown(), 'a mapping')),
      disabled: flag(),
    },
    'a mapping with command and extensions',
  );
  return z.record(z.string(), server, 'a mapping of names to language servers');
}

/** `diagnostics`: when language servers are used, and what of their diagnostics the model reads. */
export function diagnosticsSection() {
  return section({
    mode: z.optional(oneOf(DIAGNOSTICS_MODES)),
    detect: flag(),
    wait_seconds: z.optional(amount()),
    max_lines: z.optional(count),
  });
}
