import { type Clock, HermesError, systemClock } from '../../base/index.ts';
import type { Credential } from '../../contracts/index.ts';
import { listCatalogue } from '../catalogue/index.ts';
import { createLoginKeeper } from '../credentials/login-keeper.ts';
import { membersOf, toCredential } from '../credentials/pool-members.ts';
import type { Endpoint } from '../endpoint.ts';
import { hostOf } from '../find-provider.ts';
import type { Verdict } from './diagnosis.ts';
import { findProgram } from './find-program.ts';
import { judgeAnswer, judgeClock } from './judge-answer.ts';

const TIMEOUT_MS = 5_000;

/** Asks an endpoint, once with each key and login it has, whether all is well. */
export async function checkEndpoint(
  endpoint: Endpoint,
  { keyPlace: place, clock = systemClock }: { keyPlace?: string; clock?: Clock } = {},
): Promise<Verdict[]> {
  if (endpoint.command !== undefined) return [checkCommand(endpoint)];
  const { plan } = endpoint.credential ?? {};
  if (plan === undefined) return probe(endpoint, { credential: endpoint.credential, place }, clock);
  const keeper = createLoginKeeper(plan, clock);
  const checks = membersOf(plan).map(async (member) => {
    try {
      const ready = await keeper.ready(member, AbortSignal.timeout(TIMEOUT_MS));
      const credential = toCredential(plan, ready.member, ready.secret, ready.host);
      return await probe(endpoint, { credential, place: member.label, baseUrl: ready.baseUrl }, clock);
    } catch (thrown) {
      return [describeFailure(thrown, `The login "${member.label}" cannot be used`)];
    }
  });
  return (await Promise.all(checks)).flat();
}

type Attempt = { credential?: Credential; place?: string; baseUrl?: string };

async function probe(endpoint: Endpoint, attempt: Attempt, clock: Clock): Promise<Verdict[]> {
  const { chooseApiMode, probeEndpoint } = await import('../../llm/index.ts');
  const { credential, baseUrl = endpoint.baseUrl } = attempt;
  const { explicitApiMode: explicit, providerApiMode, quirks, headers, variables, modelListing } = endpoint;
  const apiMode = chooseApiMode({ explicit, provider: providerApiMode, baseUrl });
  const host = hostOf(baseUrl) ?? baseUrl;
  try {
    const way = { apiMode, baseUrl, credential, quirks, headers, variables, timeoutMs: TIMEOUT_MS };
    const answer = await probeEndpoint({ ...way, path: modelListing?.path });
    const keyPlace = credential === undefined ? undefined : (attempt.place ?? 'this provider');
    const asked = { host, baseUrl, provider: endpoint.provider, model: endpoint.model, keyPlace };
    const verdict = judgeAnswer(answer, { ...asked, isKnown: await isKnown(endpoint) });
    return [verdict, judgeClock(answer.date, clock.now(), host)].filter((found) => found !== undefined);
  } catch (thrown) {
    return [describeFailure(thrown)];
  }
}

async function isKnown({ facts, model }: Endpoint): Promise<boolean> {
  if (facts?.service === undefined) return false;
  const models = await listCatalogue({ provider: facts.service, home: facts.home });
  return models.some(({ id }) => id === model);
}

function describeFailure(thrown: unknown, before?: string): Verdict {
  if (!(thrown instanceof HermesError)) throw thrown;
  const message = before === undefined ? thrown.message : `${before}: ${thrown.message}`;
  return { status: 'wrong', message, hint: thrown.hint ?? 'Check the network and the address.' };
}

function checkCommand({ command, variables }: Endpoint): Verdict {
  const program = command?.program ?? '';
  if (findProgram(program, variables['PATH'])) return { status: 'ok', message: `The program ${program} is there.` };
  return { status: 'wrong', message: `The program ${program} is not there.`, hint: command?.hints.install };
}
