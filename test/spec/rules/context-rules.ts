import type { Rule } from './rule.ts';

/** The system prompt (PROMPT), context engines and compression (CTX). */
export const CONTEXT_RULES = {
  'CTX-1': {
    behaviour:
      'The context engine is an interface, selected by name; a plugin engine is never activated automatically.',
    state: 'done',
  },
  'CTX-2': {
    behaviour: 'The default engine compresses at a share of the window; its settings have ranges, which are validated.',
    state: 'done',
  },
  'CTX-3': {
    behaviour:
      'Compression runs before a turn, after tool results, on provider overflow errors and on /compress; a request is never larger than the window.',
    state: 'done',
  },
  'CTX-4': {
    behaviour:
      'One token figure is used everywhere: the last actual usage plus a calibrated estimate of the rest, including rows of other programs.',
    state: 'done',
  },
  'CTX-5': {
    behaviour:
      'Pruning without a model shortens old results and arguments, keeps the newest of identical ones, and stays valid JSON.',
    state: 'done',
  },
  'CTX-6': {
    behaviour: 'Head and tail are protected within budgets, and a tool call is never split from its result.',
    state: 'done',
  },
  'CTX-7': {
    behaviour: 'The summary has a fixed structure, is updated by later compressions, and contains no credentials.',
    state: 'done',
  },
  'CTX-8': {
    behaviour:
      'A middle that is too large is summarised in pieces; failing models are replaced by the next and finally by an extract; the originals stay readable.',
    state: 'done',
  },
  'CTX-9': {
    behaviour:
      'The summary is placed so that roles alternate, is marked as reference material, and leaves the system prompt unchanged.',
    state: 'done',
  },
  'CTX-10': {
    behaviour: 'Two compressions in a row that save under 10 % stop further ones until something changes.',
    state: 'done',
  },
  'CTX-11': {
    behaviour:
      'Compression ends the session and opens a child session, and an unchanged system prompt keeps its bytes.',
    state: 'done',
  },
  'CTX-12': { behaviour: 'Each compression is logged as one structured record.', state: 'done' },
  'CTX-13': {
    behaviour:
      'The threshold depends on the window (0.85 down to 0.5, capped by compression.max_tokens); old results are cleared first, unseen results are not shortened, and decisions are carried over by rule.',
    state: 'done',
  },
  'PROMPT-1': {
    behaviour: 'The system prompt consists of layers in a fixed order, each present only when it applies.',
    state: 'done',
  },
  'PROMPT-2': {
    behaviour:
      'The prompt is built once per session, stored, and reused byte for byte on resume; one that came with an import is never sent.',
    state: 'done',
  },
  'PROMPT-3': {
    behaviour:
      'Project instructions come from the first kind of file found, or from all kinds with context_files: all; imports are followed, and files of subdirectories come with tool results.',
    state: 'done',
  },
  'PROMPT-4': {
    behaviour: 'Files that enter the prompt are scanned for injection, and truncated with a marker when too long.',
    state: 'done',
  },
  'PROMPT-5': {
    behaviour: 'The prompt contains an index of skills; their bodies are loaded on demand.',
    state: 'done',
  },
} as const satisfies Record<string, Rule>;
