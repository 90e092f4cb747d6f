import type { Rule } from './rule.ts';

/** The agent loop (LOOP) and building a request (REQ). */
export const LOOP_RULES = {
  'LOOP-1': {
    behaviour:
      'chat, runConversation and run start the same kind of turn; the result describes it completely, and the stored history is used unless one is passed.',
    state: 'done',
  },
  'LOOP-2': {
    behaviour: 'Lone surrogates in the input become U+FFFD, and leaked memory blocks are removed.',
    state: 'done',
  },
  'LOOP-3': {
    behaviour:
      'A turn has a maximum number of calls and an iteration budget that is reset each turn; free iterations are refunded, and one grace call follows the last.',
    state: 'done',
  },
  'LOOP-4': {
    behaviour:
      'Every turn ends with exactly one exit reason, the first that applies in a fixed order, and stores it in a turn record.',
    state: 'done',
  },
  'LOOP-5': {
    behaviour:
      'A turn sanitises the input, stores it, reuses the cached prompt, loops over request, call and response, and finalises.',
    state: 'done',
  },
  'LOOP-6': {
    behaviour:
      'Whatever the history looks like, the request copy has its roles in an order that providers accept, and repairs are not stored.',
    state: 'done',
  },
  'LOOP-7': {
    behaviour:
      'An interrupt aborts the HTTP request and the tools, drops the partial response, closes open calls in the store, and saves the session.',
    state: 'done',
    note: 'covers the terminal; the busy policies of the gateway, API server and ACP come with those surfaces',
  },
  'LOOP-8': {
    behaviour:
      'A message that arrives during a turn reaches the model with the next request, in the newest tool result or as the next user message.',
    state: 'done',
    note: 'covers the terminal; the busy policies of the gateway, API server and ACP come with those surfaces',
  },
  'LOOP-9': {
    behaviour:
      'The loop body fits on one screen, counters live in one turn state, each recovery is separate, and two agents share no state.',
    state: 'done',
  },
  'LOOP-10': {
    behaviour: 'One typed event stream reports everything that happens in a turn, and surfaces use nothing else.',
    state: 'done',
  },
  'LOOP-11': {
    behaviour:
      'Messages are stored before anything depends on them, so a kill loses at most the streaming response, and completed calls never run twice.',
    state: 'done',
  },
  'LOOP-12': {
    behaviour:
      'A call that fails in the same way gets a notice after three failures and stops the turn after five; each tool defines which calls are the same.',
    state: 'done',
    note: 'repeated calls that succeed are TOOL-12',
  },
  'LOOP-13': {
    behaviour: 'Limits on money, tokens and time warn at 80 % and stop the turn cleanly at 100 %.',
    state: 'done',
    note: 'a limit in dollars counts known costs only: a call without a known price counts as zero',
  },
  'LOOP-14': {
    behaviour: 'The model receives no warnings about budgets or context pressure while it works.',
    state: 'done',
  },
  'REQ-1': {
    behaviour:
      'A request never changes the history; content that only the model sees is added to a copy, and the text that was sent is stored.',
    state: 'done',
  },
  'REQ-2': {
    behaviour:
      'A request consists of the cached system prompt with the ephemeral one, the prefill messages, and the history, in this order.',
    state: 'done',
  },
  'REQ-3': {
    behaviour:
      'Provider-native fields go back unchanged to the endpoint that produced them and nowhere else; internal fields are not sent.',
    state: 'done',
  },
  'REQ-4': {
    behaviour:
      'Valid arguments are sent back as the provider wrote them; all others are serialised with sorted keys and no whitespace.',
    state: 'done',
  },
  'REQ-5': {
    behaviour:
      'In the request copy, orphaned results are dropped, calls without a result get a stub, and text is trimmed and sanitised.',
    state: 'done',
  },
  'REQ-6': {
    behaviour:
      'The same input always gives the same bytes, and each request extends the previous one, across turns and across a resume.',
    state: 'done',
  },
} as const satisfies Record<string, Rule>;
