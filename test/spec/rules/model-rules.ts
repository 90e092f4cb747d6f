import type { Rule } from './rule.ts';

/** Calling models (CALL), resolving providers (PROV) and prompt caching (CACHE). */
export const MODEL_RULES = {
  'CACHE-1': {
    behaviour:
      'The system prompt and the last three messages that can carry one get a cache marker; tool messages get one wherever the endpoint accepts it.',
    state: 'done',
    note: 'also there: at gateways that reject or ignore markers on tool messages, tool calls carry them',
  },
  'CACHE-2': {
    behaviour:
      'The TTL is 5m, 1h or auto, and caching is auto, on or off per endpoint; auto learns from refusals and from usage.',
    state: 'done',
  },
  'CACHE-3': {
    behaviour:
      'Cache reads and writes are recorded per call, and a replay compares the billed tokens with the possible minimum.',
    state: 'done',
  },
  'CACHE-4': {
    behaviour:
      'Tools and their order, effort, speed and tool sets are stored with the session and restored on resume; every cache miss is shown with its reason.',
    state: 'done',
  },
  'CALL-1': {
    behaviour:
      'The API modes share one interface and one message format; parameter, provider and base URL decide the mode, in this order.',
    state: 'done',
    note: 'also there: Ollama native, and an ACP command as a model',
  },
  'CALL-2': {
    behaviour:
      'Calls stream; a silent stream is aborted and retried, a refusal to stream is remembered, and a dead pooled connection is replaced without counting as an attempt.',
    state: 'done',
  },
  'CALL-3': {
    behaviour:
      'A call gets three attempts per provider while a fallback is left, and a time budget on the last route; the back-off is jittered and honours Retry-After.',
    state: 'done',
  },
  'CALL-4': {
    behaviour: 'An error is classified once, from status, code and text, into one value that says what can help.',
    state: 'done',
  },
  'CALL-5': {
    behaviour:
      'Each kind of error has its own recovery, in a fixed order; when all fail, the message says what the user can do.',
    state: 'done',
  },
  'CALL-6': {
    behaviour:
      'When a route fails, the next one of the fallback chain replaces it completely with the same history; the next turn starts with the primary model again.',
    state: 'done',
    note: 'subagents and scheduled jobs inherit the chain',
  },
  'CALL-7': {
    behaviour:
      'Truncated text is continued and joined; a truncated tool call is retried once with a higher limit, otherwise answered with an error result, and never run.',
    state: 'done',
  },
  'CALL-8': {
    behaviour:
      'An empty response leads to a nudge, then prefilled reasoning, retries, a fallback, and finally the text "(empty)".',
    state: 'done',
  },
  'CALL-9': {
    behaviour:
      "Reasoning is stored as plain text and in the provider's own form, and think tags never reach the user, however the stream is split.",
    state: 'done',
  },
  'CALL-10': {
    behaviour: 'A missing or repeated tool-call id is replaced with a deterministic one.',
    state: 'done',
  },
  'CALL-11': {
    behaviour: 'Usage means the same in every API mode, and a cost is labelled actual, estimated or unknown.',
    state: 'done',
  },
  'CALL-12': {
    behaviour:
      'A user message can contain images and PDF files; for a model without vision, another model describes them.',
    state: 'done',
  },
  'CALL-13': { behaviour: 'Proxy settings and additional CA certificates apply to every request.', state: 'done' },
  'PROV-1': {
    behaviour:
      'One resolver chooses provider and model everywhere: explicit request, configuration, environment, default, in this order.',
    state: 'done',
  },
  'PROV-2': {
    behaviour: 'The resolver returns everything that a call needs, and the source of each value.',
    state: 'done',
  },
  'PROV-3': {
    behaviour: 'Providers are rows of one table, and adding a provider means adding a row.',
    state: 'done',
  },
  'PROV-4': {
    behaviour:
      'A key, and the extra headers and body fields of an endpoint, are sent only to the host they belong to; OPENAI_API_KEY is used for a custom endpoint only if that is the primary model.',
    state: 'done',
  },
  'PROV-5': {
    behaviour: 'Anthropic credentials are looked up in a fixed order and refreshed in time.',
    state: 'done',
  },
  'PROV-6': {
    behaviour: 'Codex has its own credential store, and encrypted reasoning items are carried along.',
    state: 'done',
  },
  'PROV-7': {
    behaviour: 'For gateways, the model list comes from the endpoint, filtered to models that support tools.',
    state: 'done',
  },
  'PROV-8': { behaviour: 'Each auxiliary task has its own chain, followed by the main chain.', state: 'done' },
  'PROV-9': {
    behaviour: 'Several credentials for one provider form a pool that rotates, with a cooldown.',
    state: 'done',
  },
  'PROV-10': {
    behaviour: 'Model facts come from a bundled catalogue that works offline and can be overridden.',
    state: 'done',
  },
  'PROV-11': {
    behaviour: '`hermes model` saves a choice, and switching in a session uses the same code on every surface.',
    state: 'done',
  },
} as const satisfies Record<string, Rule>;
