import { type Clock, type JsonObject, systemClock } from '../base/index.ts';
import type {
  ApiMode,
  BoundOptions,
  CacheTtlSetting,
  CachingMode,
  Credential,
  CredentialSource,
  ModelClient,
  ModelRequest,
  MarkerSupport,
  ModelStreamEvent,
  ParameterChange,
  PreparedRequest,
  RequestMarkers,
} from '../contracts/index.ts';
import { callUrl, commonHeaders } from './endpoint-url.ts';
import { carriesImage } from './attachments.ts';
import { markerField, markersOf, markerSupportOf } from './cache-markers.ts';
import type { CallFailure } from './failure/to-model-error.ts';
import { type BodyFields, createTextCache, mergeFields, type TextCache, writeBody } from './json-text.ts';
import type { ModelQuirks } from './model-quirks.ts';
import { CONTENT_TIMEOUT_FACTOR, stallTimeoutFactor } from './transport/stall-timer.ts';
import { createPrefixCheck } from './prefix-check.ts';
import type { Outcome, ReadOptions } from './read-response.ts';
import { joinHeaders } from './transport/attach-credential.ts';
import { createHttpTransport } from './transport/http-transport.ts';
import type { HttpRequest, HttpTransport, NetworkVariables } from './transport/http-types.ts';
import type { WireFormat } from './wire-format.ts';
import { WIRE_FORMATS } from './wire-formats.ts';

export type ModelClientOptions = {
  apiMode: ApiMode | 'bedrock_converse';
  /** The implementation of the API mode, if it is loaded on demand. */
  format?: WireFormat;
  baseUrl: string;
  model: string;
  /** The credential, or a source that returns the current one, so that a pool can change it between calls. */
  credential?: Credential | CredentialSource;
  /** Sent with every request. Not for secrets: only a credential is checked against its hosts. */
  headers?: Readonly<Record<string, string>>;
  /** Headers and query parameters of the user, which may be secrets. */
  bound?: BoundOptions;
  /** Fields of the user that are merged into every body, one after the other. */
  extraBody?: readonly JsonObject[];
  quirks?: ModelQuirks;
  /** The context window, for API modes whose requests must contain it. */
  contextLength?: number;
  /** The lifetime of cache entries, for providers that accept cache markers, and whether requests get markers. */
  cacheTtl?: CacheTtlSetting;
  cachingMode?: CachingMode;
  /** How long a provider may send nothing before the request fails. */
  stallTimeoutMs: number;
  /** The environment variables for proxies and certificates. */
  variables?: NetworkVariables;
  clock?: Clock;
  transport?: HttpTransport;
};

const STREAM_TYPES = {
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  'event-stream': 'application/vnd.amazon.eventstream',
} as const;

/** Creates the client for one model at one endpoint. */
export function createModelClient(options: ModelClientOptions): ModelClient {
  const format = options.format ?? WIRE_FORMATS[options.apiMode as ApiMode];
  const streamedUrl = callUrl(options.baseUrl, format, { ...options, streamed: true });
  const { origin, host } = streamedUrl;
  const transport = options.transport ?? createHttpTransport(options.variables);
  const clock = options.clock ?? systemClock;
  const producer = `${options.apiMode} ${origin}`;
  const texts = createMessageTexts();
  const cacheMarkers = markerSupportOf(options);
  const prepare = createRequestBuilder(options, format, {
    urlOf: (streamed) => (streamed ? streamedUrl : callUrl(options.baseUrl, format, { ...options, streamed })).url,
    producer,
    texts,
    cacheMarkers,
  });
  const watch = createPrefixCheck(texts.textOf);
  return {
    producer,
    carries: options.quirks?.attachmentKinds ?? format.attachmentKinds,
    outputLimit: outputLimitRule(format, options.quirks),
    toolResultImages:
      format.toolResultImages !== undefined && (options.quirks?.toolResultImages ?? format.toolResultImages),
    cacheMarkers,
    prepare(request) {
      const { method, headers, body: parts, url: target } = prepare(request);
      return {
        method,
        url: target,
        headers,
        parts,
        // Joined on demand: the body of a long session has many megabytes.
        get body() {
          return parts.join('');
        },
      };
    },
    async stream(request, { signal, onEvent, onPrefixBreak }) {
      signal.throwIfAborted();
      const credential = await currentCredential(options.credential, signal);
      const consumer = guardConsumer(onEvent);
      const prepared = prepare(request);
      const found = watch.check(request);
      if (found) onPrefixBreak?.(found);
      const stallTimeoutMs =
        options.stallTimeoutMs * stallTimeoutFactor(prepared.body.reduce((sum, { length }) => sum + length, 0));
      const authHeader = options.quirks?.authHeader ?? format.authHeader;
      const contentTimeoutMs = stallTimeoutMs * CONTENT_TIMEOUT_FACTOR;
      const { bound } = options;
      const sent = { ...prepared, credential, bound, authHeader, stallTimeoutMs, contentTimeoutMs, signal };
      const streamed = isStreamed(request, options.quirks);
      const { framing, createReader } = format;
      const reading = { format, framing, createReader, streamed, now: clock.now(), consumer };
      const outcome = await callOnce(transport, sent, reading).catch((thrown: unknown): CallFailure => ({ thrown }));
      // An abort takes precedence over any other failure.
      signal.throwIfAborted();
      consumer.rethrow();
      if ('answer' in outcome) return outcome.answer;
      const { toModelError } = await import('./failure/to-model-error.ts');
      throw toModelError(outcome, host, [...secretsOf(credential), ...(bound?.secrets ?? [])]);
    },
  };
}

function outputLimitRule({ mandatory }: WireFormat, quirks: ModelQuirks | undefined): ModelClient['outputLimit'] {
  if (mandatory.includes('max_tokens')) return 'required';
  return quirks?.noOutputLimit ? 'unsupported' : undefined;
}

async function currentCredential(
  given: ModelClientOptions['credential'],
  signal: AbortSignal,
): Promise<Credential | undefined> {
  return given !== undefined && 'take' in given ? await given.take(signal) : given;
}

/** Values that must not appear in messages; the feature names in `anthropic-beta` are not secret. */
function secretsOf(credential: Credential | undefined): string[] {
  if (credential === undefined) return [];
  const headers = Object.entries(credential.headers ?? {}).filter(([name]) => name !== 'anthropic-beta');
  return [credential.secret, ...headers.map(([, value]) => value)];
}

type Reading = Omit<ReadOptions, 'emit'> & { format: WireFormat; consumer: Consumer };

/** Loads the code that reads responses; called while the first response is awaited. */
const loadReader = (format: WireFormat) => Promise.all([import('./read-response.ts'), format.decode()]);

/**
 * Sends one request and reads its response. It never retries: the loop decides that, because it knows the other
 * recoveries.
 */
async function callOnce(transport: HttpTransport, sent: HttpRequest, reading: Reading): Promise<Outcome> {
  const { format, consumer } = reading;
  // A failure to load it is reported when it is needed.
  const onSent = () => void loadReader(format).catch(() => undefined);
  const response = await transport.send({ ...sent, onSent });
  let isComplete = false;
  try {
    const [{ readResponse }, decoder] = await loadReader(format);
    const outcome = await readResponse(response, decoder, { ...reading, emit: consumer.emit });
    isComplete = decoder.isComplete();
    return outcome;
  } finally {
    // After a complete response the connection can be reused; otherwise it is closed.
    await response.release(isComplete && !sent.signal.aborted && !consumer.failed());
  }
}

type Consumer = { emit: (event: ModelStreamEvent) => void; failed(): boolean; rethrow(): void };

/** Keeps an error thrown by `onEvent` apart from network and model failures. */
function guardConsumer(onEvent: (event: ModelStreamEvent) => void): Consumer {
  let fault: { error: unknown } | undefined;
  return {
    emit(event) {
      try {
        onEvent(event);
      } catch (error) {
        fault ??= { error };
        throw error;
      }
    },
    failed: () => fault !== undefined,
    rethrow() {
      if (fault !== undefined) throw fault.error;
    },
  };
}

/** Some endpoints support only streaming. */
function isStreamed(request: ModelRequest, quirks: ModelQuirks | undefined): boolean {
  return request.stream || quirks?.streamOnly === true;
}

type Endpoint = {
  urlOf(streamed: boolean): string;
  producer: string;
  texts: MessageTexts;
  cacheMarkers: MarkerSupport | undefined;
};

/** The encoded messages, which have another form with other cache markers. */
type MessageTexts = {
  /** The texts for a request with these markers. */
  formOf(markers: RequestMarkers | undefined): TextCache;
  textOf(source: object): string | undefined;
};

function createMessageTexts(): MessageTexts {
  const forms = new Map<string, ReturnType<typeof createTextCache>>();
  let current: ReturnType<typeof createTextCache> | undefined;
  return {
    formOf(markers) {
      const name = markers?.level ?? 'plain';
      current = forms.get(name) ?? createTextCache();
      forms.set(name, current);
      return current.remember;
    },
    textOf: (source) => current?.textOf(source),
  };
}

/** Creates the function that builds requests. Encoded messages are cached as long as the messages exist. */
function createRequestBuilder(
  options: ModelClientOptions,
  format: WireFormat,
  { urlOf, producer, texts, cacheMarkers }: Endpoint,
) {
  const { model, quirks = {}, contextLength } = options;
  // Only in chat completions, messages have another form with markers.
  const hasForms = options.apiMode === 'chat_completions';
  const own = Object.fromEntries(
    Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return (request: ModelRequest): Omit<PreparedRequest, 'body'> & { body: string[] } => {
    const markers = markersOf(request, cacheMarkers);
    const remember = texts.formOf(hasForms ? markers : undefined);
    const cacheMarker = markers && markerField(markers.ttl);
    const settings = { model, quirks, contextLength, producer, cacheMarker, markers, remember };
    const encoded = format.encode(request, settings);
    const fields = (options.extraBody ?? []).reduce(mergeFields, encoded);
    const body = writeBody(changeParameters(fields, request.parameterChanges ?? [], format.mandatory));
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      ...commonHeaders(format, isStreamed(request, quirks) ? STREAM_TYPES[format.framing] : 'application/json'),
      ...own,
    };
    const extra = {
      ...format.headersFor?.(request, settings),
      ...cacheKeyHeader(request, quirks),
      ...(carriesImage(request) ? quirks.imageHeaders : {}),
    };
    return { method: 'POST', url: urlOf(isStreamed(request, quirks)), headers: joinHeaders(headers, extra), body };
  };
}

function cacheKeyHeader({ cacheKey }: ModelRequest, { cacheKeyHeader: name }: ModelQuirks): Record<string, string> {
  return name === undefined || cacheKey === undefined ? {} : { [name]: cacheKey };
}

/** Drops or renames parameters that a model rejects; the order and the bytes of the others do not change. */
function changeParameters(
  fields: BodyFields,
  changes: readonly ParameterChange[],
  mandatory: readonly string[],
): BodyFields {
  const wanted = changes.filter((change) => !mandatory.includes(change.name));
  if (wanted.length === 0) return fields;
  const changed: BodyFields = {};
  for (const [name, value] of Object.entries(fields)) {
    const change = wanted.find((each) => each.name === name);
    if (change === undefined) changed[name] = value;
    // Does not write a parameter twice if it already exists under the new name.
    else if (change.replacement !== undefined && fields[change.replacement] === undefined)
      changed[change.replacement] = value;
  }
  return changed;
}
