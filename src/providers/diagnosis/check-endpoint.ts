import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { type Clock, HermesError, systemClock } from '../../base/index.ts';
import type { Credential } from '../../contracts/index.ts';
import type { ProbeResult, WireFormat } from '../../llm/index.ts';
import { listCatalogue } from '../catalogue/index.ts';
import { createLoginPreparer } from '../credentials/prepare-login.ts';
import { membersOf, toCredential } from '../credentials/pool-members.ts';
import type { Endpoint } from '../endpoint.ts';
import { hostOf } from '../find-provider.ts';
import { isListed, similarModels } from '../list-models.ts';

const TIMEOUT_MS = 5_000;
/** Longer, because the login of a cloud may run a program. */
const CLOUD_TIMEOUT_MS = 30_000;

/** Probes an endpoint with each of its keys and logins. */
export async function checkEndpoint(
  endpoint: Endpoint,
  { keyPlace: place, clock = systemClock }: { keyPlace?: string; clock?: Clock } = {},
): Promise<CheckResult[]> {
  if (endpoint.command !== undefined) return [checkCommand(endpoint)];
  if (endpoint.cloud !== undefined) return checkCloud(endpoint, { keyPlace: place, clock });
  const { plan } = endpoint.credential ?? {};
  if (plan === undefined) return probe(endpoint, { credential: endpoint.credential, place }, clock);
  const keeper = createLoginPreparer(plan, clock);
  const checks = membersOf(plan).map(async (member) => {
    try {
      const ready = await keeper.prepare(member, AbortSignal.timeout(TIMEOUT_MS));
      const credential = toCredential(plan, ready.member, ready.secret, ready.host);
      return await probe(endpoint, { credential, place: member.label, baseUrl: ready.baseUrl }, clock);
    } catch (thrown) {
      return [describeFailure(thrown, `The login "${member.label}" is not usable`)];
    }
  });
  return (await Promise.all(checks)).flat();
}

/** Probes an endpoint in a cloud with the key or the login that a call would use. */
async function checkCloud(
  endpoint: Endpoint,
  { keyPlace, clock }: { keyPlace?: string; clock: Clock },
): Promise<CheckResult[]> {
  try {
    const { openCloud } = await import('../cloud/open-cloud.ts');
    const { baseUrl, credential: key, pool, format, apiMode } = await openCloud(endpoint, clock);
    const credential = key ?? (await pool?.peek(AbortSignal.timeout(CLOUD_TIMEOUT_MS)));
    const bound = endpoint.bound && { ...endpoint.bound, hosts: [hostOf(baseUrl) ?? ''] };
    const place = keyPlace ?? `the login of ${endpoint.cloud?.name ?? 'the cloud'}`;
    return await probe({ ...endpoint, bound }, { credential, place, baseUrl, format, apiMode }, clock);
  } catch (thrown) {
    return [describeFailure(thrown)];
  }
}

type Attempt = {
  credential?: Credential;
  place?: string;
  baseUrl?: string;
  /** Set if the API mode is one that is loaded on demand. */
  format?: WireFormat;
  apiMode?: 'bedrock_converse';
};

async function probe(endpoint: Endpoint, attempt: Attempt, clock: Clock): Promise<CheckResult[]> {
  const { chooseApiMode, probeEndpoint } = await import('../../llm/index.ts');
  const { credential, baseUrl = endpoint.baseUrl } = attempt;
  const { explicitApiMode: explicit, providerApiMode, quirks, headers, bound, variables, modelListing } = endpoint;
  const apiMode = attempt.apiMode ?? chooseApiMode({ explicit, provider: providerApiMode, baseUrl });
  const host = hostOf(baseUrl) ?? baseUrl;
  try {
    const { model } = endpoint;
    const way = {
      apiMode,
      format: attempt.format,
      model,
      baseUrl,
      credential,
      quirks,
      headers,
      bound,
      variables,
      timeoutMs: TIMEOUT_MS,
    };
    const answer = await probeEndpoint({ ...way, path: modelListing?.path });
    const keyPlace = credential === undefined ? undefined : (attempt.place ?? 'this provider');
    const asked = { host, baseUrl, provider: endpoint.provider, model: endpoint.model, keyPlace };
    const verdict = judgeResponse(answer, { ...asked, isKnown: await isInCatalogue(endpoint) });
    return [verdict, judgeClock(answer.date, clock.now(), host)].filter((found) => found !== undefined);
  } catch (thrown) {
    return [describeFailure(thrown)];
  }
}

async function isInCatalogue({ facts, model }: Endpoint): Promise<boolean> {
  if (facts?.service === undefined) return false;
  const models = await listCatalogue({ provider: facts.service, home: facts.home });
  return models.some(({ id }) => id === model);
}

function describeFailure(thrown: unknown, before?: string): CheckResult {
  if (!(thrown instanceof HermesError)) throw thrown;
  const message = before === undefined ? thrown.message : `${before}: ${thrown.message}`;
  return { status: 'wrong', message, hint: thrown.hint ?? 'Check the network and the base URL.' };
}

function checkCommand({ command, variables }: Endpoint): CheckResult {
  const program = command?.program ?? '';
  if (findProgram(program, variables['PATH'])) return { status: 'ok', message: `The program ${program} was found.` };
  return { status: 'wrong', message: `The program ${program} was not found.`, hint: command?.hints.install };
}

/** The endpoint that was probed. */
type ProbedEndpoint = {
  host: string;
  baseUrl: string;
  provider: string;
  model: string;
  /** Where the key came from; undefined if none was sent. */
  keyPlace?: string;
  /** Whether the catalogue has the model, even if the endpoint does not list it. */
  isKnown: boolean;
};

const FIX_ADDRESS = 'Correct base_url in config.yaml, or choose the provider again with `hermes model`.';

/** Judges base URL, key and model from the response of an endpoint. */
function judgeResponse(answer: ProbeResult, asked: ProbedEndpoint): CheckResult {
  const { host, baseUrl, keyPlace } = asked;
  switch (answer.refusal) {
    case 'key':
      return {
        status: 'wrong',
        message:
          keyPlace === undefined
            ? `${host} requires a key, but none is configured (HTTP ${answer.status}).`
            : `${host} rejects the key from ${keyPlace} (HTTP ${answer.status}).`,
        hint: `Set a valid key with \`hermes model\`${addsKeyTo(asked.provider)}.`,
      };
    case 'page':
      return {
        status: 'wrong',
        message: `${baseUrl} returns a web page instead of a model API response.`,
        hint: `${FIX_ADDRESS} The network may also require a sign-in first.`,
      };
    case 'nothing_there':
      return {
        status: 'wrong',
        message: `No model API was found at ${baseUrl} (HTTP ${answer.status}).`,
        hint: FIX_ADDRESS,
      };
    case 'moved':
      return {
        status: 'wrong',
        message: `${baseUrl} redirects to another address (HTTP ${answer.status}).`,
        hint: FIX_ADDRESS,
      };
    case 'busy':
      return { status: 'warning', message: `${host} responds, but a rate limit is exceeded at the moment (HTTP 429).` };
    case 'broken':
      return {
        status: 'warning',
        message: `${host} reports a server error (HTTP ${answer.status}).`,
        hint: 'Try again later.',
      };
    default:
      return judgeModel(answer.models, asked);
  }
}

/** A custom endpoint has no name for `hermes auth add`. */
function addsKeyTo(provider: string): string {
  return provider === 'custom' ? '' : ` or \`hermes auth add ${provider}\``;
}

function judgeModel(models: readonly string[] | undefined, { host, model, isKnown }: ProbedEndpoint): CheckResult {
  if (models === undefined) return { status: 'ok', message: `${host} responds, but does not list its models.` };
  if (models.length === 0) {
    return { status: 'warning', message: `${host} lists no models.`, hint: 'Load or enable a model there.' };
  }
  if (isListed(model, models)) return { status: 'ok', message: `${host} responds and has ${model}.` };
  const near = similarModels(model, models);
  return {
    status: isKnown ? 'warning' : 'wrong',
    message: `${host} does not list the model "${model}".`,
    hint: `${near.length === 0 ? '' : `Similar names: ${near.join(', ')}. `}Choose a model with \`hermes model\`.`,
  };
}

/** Clock skew from which certificates and logins start to fail. */
const MAX_SKEW_MS = 5 * 60_000;

/** Reports a wrong clock, because it makes certificates and logins fail without an obvious reason. */
function judgeClock(date: number | undefined, now: number, host: string): CheckResult | undefined {
  if (date === undefined || Math.abs(date - now) < MAX_SKEW_MS) return undefined;
  const minutes = Math.round(Math.abs(date - now) / 60_000);
  const direction = date > now ? 'behind' : 'ahead of';
  return {
    status: 'wrong',
    message: `The clock of this machine is ${minutes} minutes ${direction} the clock of ${host}.`,
    hint: 'Set the clock: with a wrong time, certificates and logins fail.',
  };
}

/** Whether this program can be started. */
function findProgram(program: string, path: string | undefined): boolean {
  const hasFolder = isAbsolute(program) || program.includes('/');
  const folders = hasFolder ? [''] : (path ?? '').split(delimiter).filter(Boolean);
  return folders.some((folder) => canRun(resolve(join(folder, program))));
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The result of checking a route. */
export type Diagnosis = {
  /** The route, for display: `model openai/gpt-5`, `fallback 1 …`, `auxiliary.vision …`. */
  what: string;
  status: 'ok' | 'warning' | 'wrong';
  message: string;
  hint?: string;
};

export type CheckResult = Omit<Diagnosis, 'what'>;
